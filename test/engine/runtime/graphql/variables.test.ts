/**
 * The cost of accepting or refusing variables is linear in the body, measured in JSON.parse of a body. `BODY_BYTES=1048576`
 * measures bodies of the full size and prints a table (`npm run suite -- inputs`).
 */
import Fastify from "fastify";
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isNonNullType,
} from "graphql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CodedError } from "../../../../src/engine/runtime/coded-error.ts";
import { executableSchema } from "../../../../src/engine/runtime/graphql/executable-schema.ts";
import { jsonParser } from "../../../../src/engine/runtime/http/bodies/json-body.ts";
import { processorMs } from "../../../support/cost.ts";
import { Random } from "../../../support/random.ts";
import { seed } from "../../../support/seed.ts";
import {
  around,
  bodyBytes,
  filled,
  fitting,
  hostile,
  places,
  recursive,
  repeated,
  saidOf,
  valid,
} from "./hostile-values.ts";
import {
  type ArgumentSchemas,
  boundPairs,
  execute,
  openPair,
  openSchema,
  type Pair,
  pairs,
} from "./pairs.ts";

/** The type as its schema defines it: two schemas may give one name to two types. */
function definition(type: GraphQLInputType, known = new Set<string>()): string {
  const named = getNamedType(type);
  if (isEnumType(named)) return `${type} ${named.getValues().map(({ name }) => name)}`;
  if (!isInputObjectType(named) || known.has(named.name)) return String(type);
  known.add(named.name);
  return `${type} ${Object.values(named.getFields()).map((field) => `${field.name} ${definition(field.type, known)}`)}`;
}

type Root = { readonly kind: string; readonly field: GraphQLField<unknown, unknown> };

const rootsOf = ({ schema }: Pair): Root[] =>
  (
    [
      ["query", schema.getQueryType()],
      ["mutation", schema.getMutationType()],
    ] as [string, GraphQLObjectType | undefined][]
  )
    .flatMap(([kind, type]) => Object.values(type?.getFields() ?? {}).map((field) => ({ kind, field })))
    .filter(({ field }) => field.args.length > 0);

const operationOf = ({ kind, field }: Root): string =>
  `${kind} (${field.args.map(({ name, type }) => `$${name}: ${type}`)}) {
    field: ${field.name}(${field.args.map(({ name }) => `${name}: $${name}`)})${isLeafType(getNamedType(field.type)) ? "" : " { __typename }"} }`;

/** The milliseconds of JSON.parse for a body. */
let parsing = 0;
beforeAll(async () => {
  const text = filled("{", (index) => `"k${index}":0`, "}");
  parsing = await processorMs(() => JSON.parse(text), 20);
});

/** `said`: how the answer must begin (`Answer`), so that no case passes because something else was refused before. */
type Input = readonly [name: string, query: string, variables: string, said: RegExp];

/** The code and message of the first error, or `taken`: the field was called. And the bytes of the whole. */
type Answer = { readonly said: string; readonly bytes: number };

/**
 * The cost of `input` is linear in the body, accepted or refused. The response is short, and says what it must. Returns
 * what it says.
 */
async function expectCheap(pair: Pair, [name, query, json, said]: Input): Promise<string> {
  let answer: Answer = { said: "", bytes: 0 };
  const body = `{"query":${JSON.stringify(query)},"variables":${json}}`;
  const run = async () => {
    answer = await answerOf(pair, body);
  };
  let ms = await processorMs(run, 1);
  for (let again = 0; again < 4 && ms > Math.min(mostParsings * parsing, 50); again++)
    ms = Math.min(ms, await processorMs(run, 1));
  note(ms, name);
  expect(ms / parsing, `${name}, in parsings of a body`).toBeLessThan(mostParsings);
  expect(answer.bytes, name).toBeLessThan(8_000);
  expect(answer.said, name).toMatch(said);
  return answer.said;
}
/** As the role reads a body and executes it. */
async function answerOf(pair: Pair, body: string): Promise<Answer> {
  let parameters: object;
  try {
    parameters = parse({} as never, body) as object;
  } catch (error) {
    const { code, message } = error as CodedError;
    return { said: `${code} ${message}`, bytes: message.length };
  }
  const result = await execute(pair, parameters);
  const [{ message = "", extensions = {} } = {}] = result.errors ?? [];
  // REST calls fail here, so a call that was tried was let through
  const isTaken = !result.errors || extensions.code === "UPSTREAM_UNAVAILABLE";
  return { said: isTaken ? "taken" : `${extensions.code} ${message}`, bytes: JSON.stringify(result).length };
}
const parse = jsonParser(Fastify());

/** The most expensive input of each test, for the table. */
const table: Record<string, { inputs: number; ms: number; parsings: number; input: string }> = {};

function note(ms: number, input: string): void {
  const name = expect.getState().currentTestName ?? "";
  const row = table[name] ?? { inputs: 0, ms: 0, parsings: 0, input: "" };
  const worst = ms > row.ms ? { ms, parsings: ms / parsing, input: input.slice(0, 80) } : {};
  table[name] = { ...row, ...worst, inputs: row.inputs + 1 };
}
afterAll(() => {
  if (process.env.BODY_BYTES) console.table(table);
});

/** Ten times what was seen on a busy machine. The cheapest quadratic comparison of a list's items takes 140, Ajv's thousands. */
const mostParsings = 70;

/** The first place of an argument gets every value, each further place one of `share`. `npm run suite -- fuzz` tries all. */
const share = Number(process.env.VARIABLES_SHARE ?? 12);

/** The inputs for each argument of a field. An argument of the type and JSON Schema of a `tried` one costs the same. */
function inputsOf(root: Root, schemas: ArgumentSchemas, tried = new Set<string>()): Input[] {
  const query = operationOf(root);
  return root.field.args.flatMap((argument) => {
    const rules = schemas[`${root.kind === "query" ? "Query" : "Mutation"}.${root.field.name}`];
    const value = `${definition(argument.type)} ${JSON.stringify(rules?.[argument.name])}`;
    if (tried.has(value)) return [];
    tried.add(value);
    // an argument that may be left out is: its value could be refused before the one that is tried
    const others = root.field.args
      .filter((other) => other !== argument && isNonNullType(other.type))
      .map(
        (other) =>
          `,"${other.name}":${JSON.stringify(fitting(rules?.[other.name], JSON.parse(valid(other.type))))}`,
      )
      .join("");
    const values: (readonly [name: string, json: string])[] = [
      ...hostile.flatMap(([name, json], number) =>
        places(argument.type)
          .filter((_place, index) => index === 0 || index % share === number % share)
          .map((place) => around(rules?.[argument.name], place))
          .map(([before, after]) => [`${name} after ${before}`, before + json + after] as const),
      ),
      ...repeated(argument.type).map((json) => ["a long list", json] as const),
      ...recursive(argument.type).map((json) => ["objects in each other", json] as const),
    ];
    return values.map(
      ([name, json]): Input => [
        `${argument.name}: ${name}`,
        query,
        `{"${argument.name}":${json}${others}}`,
        saidOf(argument, json),
      ],
    );
  });
}

const refusedPattern = (name: string): RegExp =>
  new RegExp(`^BAD_USER_INPUT argument "${name}[\\w.]*" does not have the form`);

/** Those of the test APIs and some cases. `npm run suite -- fuzz` tries all. */
const chosen =
  share === 1
    ? [...pairs, ...boundPairs]
    : [...pairs.slice(0, 4), ...new Random("variables", seed).some([...pairs.slice(4), ...boundPairs], 0.1)];

/** The arguments of all these schemas that were tried. */
const tried = new Set<string>();

describe.each(chosen)("%s schema", (_name, folder) => {
  test("the cost of variables is linear in the body", { timeout: 300_000 }, async () => {
    const pair = await openPair(folder);
    for (const root of rootsOf(pair))
      for (const input of inputsOf(root, pair.schemas, tried)) await expectCheap(pair, input);
  });
});

describe("an expensive schema", () => {
  const names = Array.from({ length: 200 }, (_, index) => `f${index}`);
  const typeDefs = `
    enum Many { ${names.map((name) => `VALUE_${name}`).join(" ")} }
    input Wide { ${names.map((name) => `${name}: Int`).join(" ")} self: Wide many: [Wide!] kinds: [Many!] }
    input Filled { ${names.map((name) => `${name}: Int = 1`).join(" ")} }
    input Required { ${names.map((name) => `${name}: Int!`).join(" ")} }
    input One @oneOf { a: Int b: [One!] }
    type Query {
      wide(input: Wide, lists: [[Wide!]]): Int
      filled(input: Filled, list: [Filled!]): Int
      required(input: Required, list: [Required!]): Int
      one(input: One, list: [One!]): Int
      kinds(list: [Many!], lists: [[[Many]]]): Int
      unique(list: [ID!], texts: [String], wide: [Wide]): Int
      written(value: String, list: [String!], lists: [[String]]): Int
    }`;
  const pattern = { pattern: String.raw`^(?:[a-z]{1,64}[ \t]?)*$` };
  const unique = { uniqueItems: true };
  const schemas = {
    "Query.unique": { list: unique, texts: unique, wide: unique },
    "Query.written": { value: pattern, list: { items: pattern }, lists: { items: { items: pattern } } },
  };
  const fields = ["wide", "filled", "required", "one", "kinds", "unique", "written"];
  const open = () => {
    const query = Object.fromEntries(fields.map((field) => [field, async () => 1]));
    return openSchema(
      executableSchema(typeDefs, {
        resolvers: { Query: query },
        argumentSchemas: schemas,
        argumentNames: {},
      }),
    );
  };

  const some = share === 1 ? fields : new Random("fields", seed).some(fields, 0.3, 1);

  /** Each argument's value is taken, or refused for its type, and, where REST has a limit for it, for that. */
  test.each(some)("%s", async (name) => {
    const pair = await open();
    for (const root of rootsOf(pair).filter(({ field }) => field.name === name)) {
      const said: string[] = [];
      for (const input of inputsOf(root, schemas)) said.push(await expectCheap(pair, input));
      for (const argument of root.field.args)
        for (const begin of ["taken", `BAD_USER_INPUT Variable "$${argument.name}" got invalid value`])
          expect(
            said.filter((text) => text.startsWith(begin)),
            `${argument.name}: ${begin}`,
          ).not.toEqual([]);
      for (const argument of Object.keys((schemas as ArgumentSchemas)[`Query.${name}`] ?? {}))
        expect(
          said.filter((text) => text.startsWith(`BAD_USER_INPUT argument "${argument}`)),
          argument,
        ).not.toEqual([]);
    }
  });

  test("one value at each of 20 places", async () => {
    const pair = await open();
    const field = (index: number) => `f${index}: written(value: $value, list: $list)`;
    const query = `query ($value: String, $list: [String!]) { ${Array.from({ length: 20 }, (_, index) => field(index)).join(" ")} }`;
    const word = JSON.stringify("a b ".repeat(20));
    for (const [name, variables, said] of [
      ["a text", `{"value":"${"a".repeat(bodyBytes)}"}`, /^LIMIT_EXCEEDED /],
      ["a text that the pattern refuses", `{"value":"${"a b".repeat(100)}!"}`, refusedPattern("value")],
      ["a text that is too long for the pattern", `{"value":"${"a b".repeat(5_000)}!"}`, /^taken$/],
      ["a list of texts", filled('{"list":[', () => word, "]}"), /^LIMIT_EXCEEDED /],
      [
        "a list with a text that the pattern refuses",
        filled('{"list":[', () => word, ',"!"]}'),
        refusedPattern("list"),
      ],
    ] as const)
      await expectCheap(pair, [name, query, variables, said]);
    const value = "é".repeat(65_536);
    const { data, errors } = await execute(pair, { query, variables: { value } });
    expect(Object.values(data ?? {}).filter((result) => result === 1).length).toBe(15); // 15 of 16 fit into 1 MiB
    expect(errors).toHaveLength(5);
    expect(errors?.[0]?.extensions).toMatchObject({ code: "LIMIT_EXCEEDED", limit: "MAX_BODY_BYTES" });
  });

  test("a value is checked once, however many parents its field has", async () => {
    const types = "type Query { items: [Item!] } type Item { link(value: String): Int }";
    const link = Object.assign(async () => 1, {});
    const items = async () => Array.from({ length: 500 }, () => ({}));
    const argumentSchemas = { "Item.link": { value: { pattern: "^[a-z ]*$" } } };
    const resolvers = { Query: { items }, Item: { link } };
    const pair = await openSchema(executableSchema(types, { resolvers, argumentSchemas, argumentNames: {} }));
    const query = "query ($value: String) { items { link(value: $value) } }";
    const variables = JSON.stringify({ value: "a ".repeat(2_000) });
    await expectCheap(pair, ["500 parents", query, variables, /^taken$/]);
  });

  test("800 refused variables", async () => {
    const pair = await open();
    const variables = Array.from({ length: 800 }, (_, index) => `v${index}`);
    const query = `query (${variables.map((name) => `$${name}: Many`).join()}) { kinds(lists: [[[${variables.map((name) => `$${name}`).join()}]]]) }`;
    const json = `{${variables.map((name) => `"${name}":"${"x".repeat(100)}"`).join()}}`;
    const said = /^BAD_USER_INPUT Variable "\$v0" got invalid value "x{60}…"; /;
    await expectCheap(pair, ["800 variables", query, json, said]);
    const { errors } = await execute(pair, { query, variables: JSON.parse(json) });
    expect(errors).toHaveLength(10);
  });
});
