/** What tools ask first: GraphQL's own introspection query with each set of its options, and a code generator's schema by URL. */
import { readFileSync } from "node:fs";
import { generate } from "@graphql-codegen/cli";
import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from "graphql";
import { expect, test } from "vitest";
import { keys, openLayer } from "./layer.ts";

const root = new URL("../../../", import.meta.url);
const schema = buildSchema(readFileSync(new URL("generated/schema.graphql", root), "utf8"));
const sorted = (given: typeof schema): string => printSchema(lexicographicSortSchema(given));

const options = [
  "descriptions",
  "specifiedByUrl",
  "directiveIsRepeatable",
  "schemaDescription",
  "inputValueDeprecation",
  "oneOf",
] as const;

test("the standard introspection query gives the schema, with each set of its options", async () => {
  const { ask } = await openLayer();
  const sets = Array.from({ length: 2 ** options.length }, (_, bits) =>
    Object.fromEntries(options.map((option, index) => [option, (bits & (1 << index)) > 0])),
  );
  for (const set of sets) {
    const { data, errors } = await ask(getIntrospectionQuery(set));
    expect({ set, errors }).toEqual({ set, errors: undefined });
    const read = buildClientSchema(data as IntrospectionQuery);
    if (set.descriptions && set.schemaDescription && set.specifiedByUrl)
      expect(sorted(read)).toBe(sorted(schema));
  }
});

test("graphql-codegen generates from the URL what it generates from the file", async () => {
  const { url } = await openLayer();
  const typesFrom = async (source: object | string): Promise<unknown> =>
    generate(
      {
        schema: source as never,
        generates: { "types.ts": { plugins: ["typescript"] } },
        silent: true,
        config: { sort: true },
        cwd: root.pathname,
      },
      false,
    );
  const byUrl = { [new URL("/v1/graphql", url).href]: { headers: { "X-API-Key": keys.owner } } };
  // the plugin comments a scalar from its place in a file, which introspection does not give
  const [fromFile] = (await typesFrom("generated/schema.graphql")) as [{ content: string }];
  const content = fromFile.content.replaceAll(/^ +\/\*\* .* \*\/\n(?= +(?:Date|DateTime): \{)/gm, "");
  expect(await typesFrom([byUrl])).toEqual([{ ...fromFile, content }]);
});
