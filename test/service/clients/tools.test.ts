/** Stock tools of front ends: graphql-codegen's client preset by URL and by file, and Relay's compiler. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { generate } from "@graphql-codegen/cli";
import { expect, test } from "vitest";
import { openLayer } from "../e2e/layer.ts";
import { makeConsumer, packageName, root } from "./consumer.ts";

/** As docs/guides/front-end.md says. */
const scalars = { DateTime: "string", Date: "string" };

type Generated = readonly { filename: string; content: string }[];

const withClientPreset = (schema: object | string): Promise<Generated> =>
  generate(
    {
      schema: schema as never,
      documents: join(root, "spec/operations/*.graphql"),
      generates: { "gql/": { preset: "client", config: { scalars } } },
      silent: true,
      cwd: root,
    },
    false,
  );

test("graphql-codegen's client preset generates the same by URL and by file, and it compiles", async () => {
  const { url } = await openLayer();
  const files = await withClientPreset(new URL("/v1/graphql", url).href);
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
export const since: string | undefined = contact?.createdAt;
// @ts-expect-error a time is text
export const number: number | undefined = contact?.createdAt;
// @ts-expect-error a required variable is missing
await client.request(CustomerDocument, {});`,
  );
  expect(await consumer.typeErrors()).toBe("");
});

test("Relay's compiler takes the schema and its connections, and the layer answers what Relay sends", async () => {
  const consumer = await makeConsumer();
  consumer.write(
    "relay.config.json",
    JSON.stringify({
      src: "./src",
      language: "typescript",
      schema: `./node_modules/${packageName}/schema.graphql`,
      customScalarTypes: scalars,
    }),
  );
  consumer.write(
    "src/Inbox.ts",
    `import { graphql } from "relay-runtime";
export const query = graphql\`
  query InboxQuery($status: ConversationStatus) {
    ...Inbox_list @arguments(status: $status)
  }
\`;
export const list = graphql\`
  fragment Inbox_list on Query
  @argumentDefinitions(
    first: { type: "Int", defaultValue: 5 }
    after: { type: "String" }
    status: { type: "ConversationStatus" }
  )
  @refetchable(queryName: "InboxPaginationQuery") {
    conversationsConnection(first: $first, after: $after, status: $status)
      @connection(key: "Inbox_conversationsConnection") {
      edges { node { ...Inbox_row } }
      totalCount
    }
  }
\`;
export const row = graphql\`
  fragment Inbox_row on Conversation {
    id
    createdAt
    contact { name }
    messages(last: 1) { body author { __typename ... on AgentAuthor { agent { name } } } }
  }
\`;`,
  );
  const compiler = join(root, "node_modules/relay-compiler/cli.js");
  await promisify(execFile)(process.execPath, [compiler], { cwd: consumer.folder });
  const textOf = (query: string): string => {
    const artifact = readFileSync(join(consumer.folder, `src/__generated__/${query}.graphql.ts`), "utf8");
    const [, text = ""] = /"text": ("(?:[^"\\]|\\.)*")/.exec(artifact) ?? [];
    return JSON.parse(text);
  };
  const row = readFileSync(join(consumer.folder, "src/__generated__/Inbox_row.graphql.ts"), "utf8");
  expect(row).toContain("readonly createdAt: string;");
  const { ask } = await openLayer();
  const first = await ask(textOf("InboxQuery"), { status: "CLOSED" });
  expect(first.errors).toBeUndefined();
  const { edges, pageInfo } = first.data.conversationsConnection;
  expect(edges).toHaveLength(5);
  // the compiler has added `cursor`, `__typename` and what `usePaginationFragment` reads of `pageInfo`
  expect(Object.keys(edges[0])).toEqual(expect.arrayContaining(["node", "cursor"]));
  expect(pageInfo).toEqual({ hasNextPage: true, endCursor: edges[4].cursor });
  const variables = { status: "CLOSED", first: 5, after: pageInfo.endCursor };
  const next = await ask(textOf("InboxPaginationQuery"), variables);
  expect(next.errors).toBeUndefined();
  const ids = [...edges, ...next.data.conversationsConnection.edges].map(({ node }) => node.id);
  expect(new Set(ids).size).toBe(10);
});
