/** `check --base` after REST removed or renamed a name that the schema uses: the finding names it, and suggests no other one. */
import { expect, test } from "vitest";
import { formatText } from "../../../../src/engine/build/check/format/text.ts";
import { stepFindings, stepReport } from "./in-memory.ts";
import { depotOpenapi } from "./run.ts";

const text = { type: "string" };
const count = { type: "integer" };
const query = (name: string, schema: object = text) => ({ name, in: "query", schema });
const id = { name: "id", in: "path", required: true, schema: text };

type Edited = { readonly properties?: object; readonly parameters?: object[]; readonly body?: object };

const properties = { plan: text, plan_code: text, planned: count };
const body = { title: text, titles: count };

function document(edited: Edited = {}): string {
  const answer = (schema: object): object => ({
    responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
  });
  const customer = { $ref: "#/components/schemas/Customer" };
  const sent = { type: "object", properties: edited.body ?? body };
  return JSON.stringify({
    ...{ openapi: "3.1.0", info: { title: "t", version: "1" }, security: [] },
    paths: {
      "/customers": {
        get: {
          operationId: "listCustomers",
          parameters: edited.parameters ?? [query("sort_by"), query("sorted", count)],
          ...answer({ type: "array", items: customer }),
        },
        post: {
          operationId: "makeCustomer",
          requestBody: { content: { "application/json": { schema: sent } } },
          ...answer(customer),
        },
      },
      "/plans/{id}": {
        get: {
          operationId: "getPlan",
          parameters: [id],
          ...answer({ type: "object", properties: { name: text } }),
        },
      },
    },
    components: { schemas: { Customer: { type: "object", properties: edited.properties ?? properties } } },
  });
}

const schemaWith = (fields: string): string => `type Query {
  customers(sortBy: String): [Customer!] @rest(operation: "listCustomers")
}
type Mutation { makeCustomer(title: String): Customer @rest(operation: "makeCustomer") }
type Customer {
  plan: String
  ${fields}
}
type Plan { name: String }
`;

const link = schemaWith(
  'bought: Plan @rest(operation: "getPlan", params: [{ name: "id", from: "parent.plan_code" }])',
);
const plain = schemaWith("planCode: String");

const { plan_code: _, ...withoutCode } = properties;

test.each<[string, string, Edited, string]>([
  [
    "a link's key",
    link,
    { properties: withoutCode },
    'property-missing REST removed "plan_code": the parent\'s REST object has no property "plan_code" (from "parent.plan_code")',
  ],
  [
    "a field's property",
    plain,
    { properties: withoutCode },
    'property-missing REST removed "plan_code": the REST object of Query.customers has no property "planCode"',
  ],
  [
    "a renamed property",
    plain,
    { properties: { ...withoutCode, code_of_plan: text } },
    'property-missing REST renamed "plan_code" to "code_of_plan": the REST object of Query.customers has no property "planCode"',
  ],
  [
    "a removed property beside a new one of another type",
    plain,
    { properties: { ...withoutCode, plan_codes: count } },
    'property-missing REST removed "plan_code": the REST object of Query.customers has no property "planCode"',
  ],
  [
    "a parameter",
    plain,
    { parameters: [query("sorted", count)] },
    'argument-unused REST removed "sort_by": argument "sortBy" feeds nothing: listCustomers has no parameter "sortBy"',
  ],
  [
    "a renamed parameter",
    plain,
    { parameters: [query("sort_order"), query("sorted", count)] },
    'argument-unused REST renamed "sort_by" to "sort_order": argument "sortBy" feeds nothing: listCustomers has no parameter "sortBy"',
  ],
  [
    "a property of the body",
    plain,
    { body: { titles: count } },
    'argument-unused REST removed "title": argument "title" feeds nothing: makeCustomer has no parameter "title"',
  ],
])("%s", (_name, schema, edited, expected) => {
  const found = stepFindings(schema, document(), document(edited));
  const breaking = found.filter(({ change }) => change === "breaking");
  const [{ message = "", rule = "" } = {}] = breaking;
  expect(`${rule} ${message}`).toBe(expected);
});

test("the list of changes names the coordinate of each", async () => {
  const report = await stepReport(
    {},
    { "spec/openapi.yaml": depotOpenapi.replaceAll("display_name", "full_title") },
  );
  expect(formatText(report)).toMatch(
    /^Changes since HEAD\n {2}breaking {2}Warehouse\.name: REST renamed "display_name" to "full_title": /m,
  );
});

test("the list of changes counts the further coordinates of a change", async () => {
  const fields = `planCode: String
    bought: Plan @rest(operation: "getPlan", params: [{ name: "id", from: "parent.plan_code" }])`;
  const base = { "spec/openapi.yaml": document(), "spec/schema.graphql": schemaWith(fields) };
  const report = await stepReport(base, {
    ...base,
    "spec/openapi.yaml": document({ properties: withoutCode }),
  });
  expect(formatText(report)).toMatch(/^ {2}breaking {2}Customer\.planCode and 1 more: /m);
});
