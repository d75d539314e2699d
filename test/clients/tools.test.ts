/** Stock tools of front ends: graphql-codegen's client preset by URL and by file, and Relay's compiler. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { generate } from "@graphql-codegen/cli";
import { expect, test } from "vitest";
import { keys, openLayer } from "../e2e/layer.ts";
import { makeConsumer, packageName, root } from "./consumer.ts";

type Generated = readonly { filename: string; content: string }[];

const withClientPreset = (schema: object | string): Promise<Generated> =>
  generate(
    {
      schema: schema as never,
      documents: join(root, "spec/operations/*.graphql"),
      generates: { "gql/": { preset: "client" } },
      silent: true,
      cwd: root,
    },
    false,
  );

test("graphql-codegen's client preset generates the same by URL and by file, and it compiles", async () => {
  const { url } = await openLayer();
  const byUrl = { [new URL("/v1/graphql", url).href]: { headers: { "X-API-Key": keys.owner } } };
  const files = await withClientPreset([byUrl]);
  expect(await withClientPreset(join(root, "generated/schema.graphql"))).toEqual(files);
  const consumer = await makeConsumer();
  for (const { filename, content } of files) consumer.write(filename, content);
  consumer.write(
    "use.ts",
    `import { GraphQLClient } from "graphql-request";
import { CustomerDocument } from "./gql/graphql";
const client = new GraphQLClient("/v1/graphql");
const { contact } = await client.request(CustomerDocument, { id: "con_1" });
export const email: string | null | undefined = contact?.email;
// @ts-expect-error a required variable is missing
await client.request(CustomerDocument, {});`,
  );
  expect(await consumer.typeErrors()).toBe("");
});

test("Relay's compiler takes the schema, and the layer answers what Relay sends", async () => {
  const consumer = await makeConsumer();
  consumer.write(
    "relay.config.json",
    JSON.stringify({
      src: "./src",
      language: "typescript",
      schema: `./node_modules/${packageName}/schema.graphql`,
    }),
  );
  consumer.write(
    "src/Inbox.ts",
    `import { graphql } from "relay-runtime";
export const query = graphql\`
  query InboxQuery($first: Int, $status: ConversationStatus) {
    conversationsConnection(first: $first, status: $status) {
      nodes { ...Inbox_row }
      pageInfo { hasNextPage endCursor }
    }
  }
\`;
export const row = graphql\`
  fragment Inbox_row on Conversation {
    id
    contact { name }
    messages(last: 1) { body author { __typename ... on AgentAuthor { agent { name } } } }
  }
\`;`,
  );
  const compiler = join(root, "node_modules/relay-compiler/cli.js");
  await promisify(execFile)(process.execPath, [compiler], { cwd: consumer.folder });
  const artifact = readFileSync(join(consumer.folder, "src/__generated__/InboxQuery.graphql.ts"), "utf8");
  const [, text = ""] = /"text": ("(?:[^"\\]|\\.)*")/.exec(artifact) ?? [];
  const { ask } = await openLayer();
  const { data, errors } = await ask(JSON.parse(text), { first: 5, status: "OPEN" });
  expect(errors).toBeUndefined();
  expect(data.conversationsConnection.nodes).toHaveLength(5);
});
