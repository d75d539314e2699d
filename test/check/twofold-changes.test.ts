/** A change of one shared schema that means one thing for what is sent to REST, and another for what is read from it. */
import { expect, test } from "vitest";
import { ran, repository, write } from "./run.ts";

test("a change that breaks one field and is safe for another is told with the fields", async () => {
  const root = repository({
    "spec/schema.graphql": `type Query { things(state: State): [Thing!] @rest(operation: "things") }
type Thing { state: State }
enum State { new old }`,
    "spec/openapi.yaml": states("[new, old]"),
    "spec/rest-only.yaml": "",
  });
  write(root, { "spec/openapi.yaml": states("[new]") });
  const { out } = await ran(root, ["--base", "HEAD"]);
  expect(out).toContain(`  breaking  schema State is never "old" now (Query.things(state:))
  safe      schema State is never "old" now (Thing.state)
`);
});

/** Things with a state, which the list can be asked by. */
const states = (values: string): string => `openapi: 3.1.0
info: { title: t, version: "1" }
paths:
  /things:
    get:
      operationId: things
      parameters: [{ name: state, in: query, schema: { $ref: "#/components/schemas/State" } }]
      responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Thing" } } } } } }
components:
  schemas:
    Thing: { type: object, properties: { state: { $ref: "#/components/schemas/State" } } }
    State: { type: string, enum: ${values} }
`;
