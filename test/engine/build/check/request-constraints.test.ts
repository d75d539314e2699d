/** A demand of REST on requests breaks the saved operations that may fail it, and no other. */
import { expect, test } from "vitest";
import { stepReport } from "./in-memory.ts";
import { depotOpenapi, depotSchema, edited, project, reportOf } from "./run.ts";

type Edit = readonly [from: string, to: string];

const parcel = (members: string): string => {
  const receiver = '{ name: "Johanna", address: { street: "a", city: "b", geo: { lat: 1, lon: 1 } } }';
  return `createParcel(token: "t", input: { barcode: "12345678", worth: { amount: 1, currency: EUR }, receiver: ${receiver} ${members} }) { barcode }`;
};
const parcels = (given: string): string => `parcels(warehouseId: 1 ${given}) { page { total } }`;
const weigh = (weight: string): string => `weighParcel(code: "c", weight: ${weight}) { barcode }`;

/** By name: an operation, with its variables. */
const operations = {
  LiteralLost: `query { ${parcels("states: [LOST]")} }`,
  LiteralOne: `query { ${parcels("states: DELIVERED")} }`,
  LiteralTwo: `query { ${parcels("states: [IN_TRANSIT, DELIVERED], token: null")} }`,
  VariableList: `query ($states: [ParcelState!]) { ${parcels("states: $states")} }`,
  VariableItem: `query ($state: ParcelState!) { ${parcels("states: [DELIVERED, $state]")} }`,
  Token: `query ($token: String!) { ${parcels("token: $token, states: [DELIVERED]")} }`,
  MaybeToken: `query ($token: String = "a") { ${parcels("token: $token")} }`,
  SizeUsual: `query { ${parcels('token: "a"')} }`,
  SizeSmall: `query { ${parcels("size: 20")} }`,
  SizeLarge: `query { ${parcels("size: 200")} }`,
  SizeVariable: `query ($size: Int!) { ${parcels("size: $size")} }`,
  Plain: `mutation { ${parcel("")} }`,
  Lost: `mutation { ${parcel("state: LOST")} }`,
  Delivered: `mutation ($note: String!) { ${parcel("state: DELIVERED, notes: [$note]")} }`,
  NullState: `mutation { ${parcel("state: null")} }`,
  State: `mutation ($state: ParcelState!) { ${parcel("state: $state")} }`,
  MaybeState: `mutation ($state: ParcelState) { ${parcel("state: $state")} }`,
  Notes: `mutation ($notes: [String!]) { ${parcel("notes: $notes, state: DELIVERED")} }`,
  Whole: `mutation ($input: ParcelInput!) { createParcel(token: "t", input: $input) { barcode } }`,
  Light: `mutation { ${weigh('{ grams: 5, scale: "s" }')} }`,
  Heavy: `mutation ($scale: String!) { ${weigh("{ grams: 5000, scale: $scale }")} }`,
  AnyWeight: `mutation ($weight: WeightInput!) { ${weigh("$weight")} }`,
} as const;

const texts = Object.entries(operations).map(([name, text]) => text.replace(/^\w+/, `$& ${name}`));
const saved = { "spec/operations/sent.graphql": texts.join("\n") };

const enumWithoutLost: Edit = ["[in-transit, delivered, lost]", "[in-transit, delivered]"];
const tokenRequired: Edit = [
  "name: page_token\n          in: query",
  "name: page_token\n          in: query\n          required: true",
];
const withoutToken =
  "LiteralLost LiteralOne LiteralTwo VariableList VariableItem MaybeToken SizeSmall SizeLarge SizeVariable";
const cases: readonly (readonly [string, Edit, string])[] = [
  [
    "an enum loses a value",
    enumWithoutLost,
    "LiteralLost VariableList VariableItem Lost State MaybeState Whole",
  ],
  ["a limit is lower", ["maximum: 500", "maximum: 100"], "SizeLarge SizeVariable"],
  ["a limit inside of an object is lower", ["maxLength: 80", "maxLength: 7"], "Whole"],
  [
    "a limit inside of an object refuses a literal",
    ["maxLength: 80", "maxLength: 6"],
    "Plain Lost Delivered NullState State MaybeState Notes Whole",
  ],
  ["a limit of a value below an argument", ["maximum: 30000", "maximum: 1000"], "Heavy AnyWeight"],
  ["a property of the body is required", ["required: [grams]", "required: [grams, scale_id]"], "AnyWeight"],
  [
    "a property of the argument that is the body is required",
    ["required: [barcode, worth, receiver]", "required: [barcode, worth, receiver, state]"],
    "Plain NullState MaybeState Whole",
  ],
  ["a parameter is required", tokenRequired, withoutToken],
  [
    "the default of an argument is refused",
    ["maximum: 500", "maximum: 40"],
    "LiteralLost LiteralOne LiteralTwo VariableList VariableItem Token MaybeToken SizeUsual SizeLarge SizeVariable",
  ],
];

test.each(cases)("%s", async (_, [from, to], broken) => {
  const report = await stepReport(saved, { "spec/openapi.yaml": edited(depotOpenapi, from, to) });
  expect(brokenOf(report)).toBe(broken);
});

const brokenOf = ({ operations: all }: Awaited<ReturnType<typeof reportOf>>): string =>
  all
    .filter(({ name, verdict }) => verdict === "broken" && name in operations)
    .map(({ name }) => name)
    .join(" ");

test("also without a base, and the finding of an operation that omits the value names the argument", async () => {
  const root = project({ ...saved, "spec/openapi.yaml": edited(depotOpenapi, ...tokenRequired) });
  const report = await reportOf(root);
  expect(brokenOf(report)).toBe(withoutToken);
  const plain = report.operations.find(({ name }) => name === "LiteralOne");
  expect(plain?.because).toEqual(["Query.parcels(token:)"]);
});

test("a value that leaves an enum of the schema breaks the operations that may send it", async () => {
  const schema = edited(depotSchema, '  LOST @restName(name: "lost")\n', "");
  const { findings } = await stepReport(saved, { "spec/schema.graphql": schema });
  const removed = findings.find(({ rule }) => rule === "sdl-value-removed-from-enum");
  expect(removed?.operations.map(({ name }) => name).join(" ")).toBe(
    "Register LiteralLost VariableList VariableItem Lost State MaybeState Whole",
  );
});

test("an input type may hold itself, and the default of its field is sent where the field is left out", async () => {
  const openapi = (required: string, values: string): string => `openapi: 3.1.0
info: { title: t, version: "1" }
paths:
  /nodes:
    post:
      operationId: add
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Node" } } } }
      responses: { "200": { description: ok, content: { application/json: { schema: { type: object, required: [id], properties: { id: { type: string } } } } } } }
components:
  schemas:
    Node:
      type: object
      required: ${required}
      properties: { name: { type: string }, kind: { type: string, enum: ${values} }, child: { $ref: "#/components/schemas/Node" } }
`;
  const was = {
    "spec/schema.graphql": `type Query { none: Int }
type Mutation { add(node: NodeInput!): Added @rest(operation: "add", body: "args.node") }
type Added { id: String! }
input NodeInput { name: String, kind: Kind = old, child: NodeInput }
enum Kind { old new }`,
    "spec/openapi.yaml": openapi("[]", "[old, new]"),
    "spec/rest-only.yaml": "",
    "spec/operations/depot.graphql": `
mutation Whole($node: NodeInput!) { add(node: $node) { id } }
mutation Named { add(node: { name: "a", kind: new, child: { name: "b", kind: new } }) { id } }
mutation Unnamed { add(node: { name: "a", kind: new, child: { kind: old } }) { id } }
mutation Usual { add(node: { name: "a", kind: new, child: { name: "b" } }) { id } }`,
  };
  const broken = async (text: string): Promise<string> => {
    const { operations: all } = await stepReport(was, { "spec/openapi.yaml": text });
    return all.flatMap(({ name, verdict }) => (verdict === "broken" ? [name] : [])).join(" ");
  };
  expect(await broken(openapi("[name]", "[old, new]"))).toBe("Whole Unnamed");
  expect(await broken(openapi("[]", "[new]"))).toBe("Whole Unnamed Usual");
});
