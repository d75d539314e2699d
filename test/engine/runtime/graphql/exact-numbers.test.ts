/** Numbers of clients that JavaScript would round, or cannot hold: an error, and never another number or null. */
import { expect, test } from "vitest";
import { executableSchema } from "../../../../src/engine/runtime/graphql/executable-schema.ts";
import { property } from "../../../../src/engine/runtime/rest/property.ts";
import { execute, openSchema } from "./pairs.ts";

const typeDefs = `
scalar JSON
input In { json: JSON, list: [JSON!], float: Float }
type Query { sent(json: JSON, list: [JSON!], in: In, float: Float, floats: [Float!], id: ID): Sent }
type Sent { args: JSON }`;

const open = () => {
  const resolvers = {
    Query: { sent: (_parent: unknown, args: unknown) => ({ args }) },
    Sent: { args: property("args") },
  };
  return openSchema(executableSchema(typeDefs, { resolvers, argumentSchemas: {}, argumentNames: {} }));
};

/** The arguments that arrive, or the error's code and message. */
async function sent(query: string, variables = "{}"): Promise<unknown> {
  const { data, errors } = await execute(await open(), { query, variables: JSON.parse(variables) as object });
  const [error] = errors ?? [];
  return error ? [error.extensions?.code, error.message] : (data as { sent: { args: unknown } }).sent.args;
}

const rounded =
  "JSON cannot represent an integer beyond 2^53, which may have been rounded: send it as a string.";
const infinite = "JSON cannot represent a number out of range.";

test.each<[name: string, message: string, number?: string]>([
  ["9007199254740993", rounded],
  ["-9007199254740993", rounded],
  ["100000000000000000000", rounded],
  ["9007199254740993.0", rounded],
  ["1e400", infinite],
  ["-1e400", infinite],
  ["an integer of 401 digits", infinite, `1${"0".repeat(400)}`],
])(
  "a number that JavaScript rounds or cannot hold is refused in a custom scalar: %s",
  async (name, message, number = name) => {
    const invalid = ["GRAPHQL_VALIDATION_FAILED", message];
    const refused = ["BAD_USER_INPUT", expect.stringContaining(message)];
    const nested = `{a: [1, {b: ${number}}]}`;
    for (const literal of [number, nested, `[${number}]`]) {
      expect(await sent(`{ sent(json: ${literal}) { args } }`)).toEqual(invalid);
      expect(await sent(`{ sent(list: [${literal}]) { args } }`)).toEqual(invalid);
      expect(await sent(`{ sent(in: { json: ${literal}, list: 1 }) { args } }`)).toEqual(invalid);
      expect(await sent(`query ($j: JSON = ${literal}) { sent(json: $j) { args } }`)).toEqual(invalid);
      const json = literal.replaceAll(/[ab]:/g, (name) => `"${name[0]}":`);
      expect(await sent("query ($j: JSON) { sent(json: $j) { args } }", `{"j":${json}}`)).toEqual(refused);
      expect(await sent("query ($l: [JSON!]) { sent(list: $l) { args } }", `{"l":[0,${json}]}`)).toEqual(
        refused,
      );
      expect(await sent("query ($i: In) { sent(in: $i) { args } }", `{"i":{"json":${json}}}`)).toEqual(
        refused,
      );
    }
    const within = "query ($f: Float) { sent(json: {a: $f}) { args } }";
    expect(await sent(within, `{"f":${number}}`)).toEqual(["BAD_USER_INPUT", expect.any(String)]);
  },
);

test("a Float out of range is refused, and any other one is sent", async () => {
  const invalid = ["GRAPHQL_VALIDATION_FAILED", "Float cannot represent a number out of range."];
  for (const number of ["1e400", "-1e400", `1${"0".repeat(400)}`]) {
    expect(await sent(`{ sent(float: ${number}) { args } }`)).toEqual(invalid);
    expect(await sent(`{ sent(floats: [1, ${number}]) { args } }`)).toEqual(invalid);
    expect(await sent(`{ sent(in: { float: ${number} }) { args } }`)).toEqual(invalid);
    expect(await sent(`query ($f: Float = ${number}) { sent(float: $f) { args } }`)).toEqual(invalid);
    const variable = await sent("query ($f: Float) { sent(float: $f) { args } }", `{"f":${number}}`);
    expect(variable).toEqual(["BAD_USER_INPUT", expect.any(String)]);
    expect(await sent(`{ sent(id: ${number.replace(/e.*/, "")}) { args } }`)).toHaveProperty("id");
  }
  expect(await sent("{ sent(float: 1e300) { args } }")).toEqual({ float: 1e300 });
});

test("every other value of JSON arrives as it was sent", async () => {
  const values = [9007199254740991, -9007199254740991, 0.1, 1.5e-300, "9007199254740993", true, null, [], {}];
  const json = { values, nested: [{ values }] };
  const variables = JSON.stringify({ j: json });
  expect(await sent("query ($j: JSON) { sent(json: $j) { args } }", variables)).toEqual({ json });
  expect(await sent("{ sent(json: {a: [9007199254740991, 0.5]}) { args } }")).toEqual({
    json: { a: [9007199254740991, 0.5] },
  });
});
