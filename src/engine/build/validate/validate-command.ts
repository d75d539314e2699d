/**
 * `restbound validate <manifest> --schema <URL or file>` validates an app's saved operations against a schema, in the CI of the
 * app.
 */
import { basename, resolve } from "node:path";
import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
} from "graphql";
import { type Io, runCommand } from "../../shared/cli/command.ts";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { nonEmpty } from "../../shared/cli/command-line.ts";
import { fetchText } from "../../shared/cli/fetch-text.ts";
import { printable } from "../../shared/cli/printable.ts";
import { isHttpUrl } from "../../shared/manifests/manifest-locations.ts";
import { Manifests } from "../../shared/manifests/manifests.ts";
import { readRegularFile } from "../../shared/regular-file.ts";
import { readAppOperations } from "../schema/saved-operations.ts";

const timeoutMs = 30_000;

type Given = { readonly schema: string; readonly key?: string };

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("restbound validate", argv, io, (line, does) =>
    line
      .description("Validates an app's manifest of operations against a schema.")
      .argument(
        "<manifest>",
        "Apollo's persisted query manifest, or the map of ids of the client preset or of Relay",
      )
      .requiredOption(
        "--schema <URL or file>",
        "/v1/graphql of a role outside production, or schema.graphql",
        nonEmpty,
      )
      .option("--key <API key>", "sent as X-API-Key, if the URL requires one", nonEmpty)
      .action(does((manifest: string, given: Given) => validateManifest(io, manifest, given))),
  );

async function validateManifest(io: Io, at: string, { schema: from, key }: Given): Promise<number> {
  const schema = isHttpUrl(from)
    ? await introspected(from, key)
    : readSchemaFile(resolve(io.root, from), from);
  const app = basename(at, ".json");
  const place = { app, at: isHttpUrl(at) ? at : resolve(io.root, at) };
  const { manifests, faults } = await new Manifests([place]).refresh();
  if (faults.length > 0) throw new UsageError(faults.map(({ reason }) => `${at}: ${reason}`));
  const { operations, diagnostics } = readAppOperations(schema, manifests);
  for (const { coordinate, message } of diagnostics) io.out(printable(`${coordinate}: ${message}`));
  if (diagnostics.length > 0) return 1;
  io.out(`${operations.length} operations are valid against ${from}`);
  return 0;
}

function readSchemaFile(path: string, given: string): GraphQLSchema {
  try {
    return buildSchema(readRegularFile(path));
  } catch (error) {
    throw new UsageError([`--schema ${given}: ${(error as Error).message}`]);
  }
}

async function introspected(url: string, key: string | undefined): Promise<GraphQLSchema> {
  const read = (text: string): GraphQLSchema | undefined => {
    const { data } = JSON.parse(text) as { data?: IntrospectionQuery };
    return data && buildClientSchema(data);
  };
  const schema = await fetchText(`--schema ${url}`, url, read, {
    timeoutMs,
    method: "POST",
    headers: { "content-type": "application/json", ...(key !== undefined && { "x-api-key": key }) },
    body: JSON.stringify({ query: getIntrospectionQuery({ inputValueDeprecation: true }) }),
  });
  if (schema) return schema;
  const instead =
    "in production it does not: use a role with the same spec elsewhere, or schema.graphql of the client package";
  throw new UsageError([`--schema ${url}: does not return a schema; ${instead}`]);
}
