/** A vendor whose operations take the tenant's id in each place of a request, with one credential for all tenants. */
import { edited } from "../../build/check/run.ts";
import { spec } from "./vendor-project.ts";

const named = `{ type: object, required: [id, name], properties: { id: { type: string }, name: { type: string }, account: { type: string } } }`;
const listed = `{ "200": { description: ok, content: { application/json: { schema: { type: array, items: ${named} } } } } }`;
const found = `{ "200": { description: ok, content: { application/json: { schema: ${named} } } } }`;
const account = (location: string, name = "account") =>
  `{ name: ${name}, in: ${location}, required: true, schema: { type: string } }`;

export const bank = `openapi: 3.1.0
info: { title: bank, version: "1" }
security: [{ client: [] }]
components: { securitySchemes: { client: { type: apiKey, in: header, name: X-Bank-Client } } }
paths:
  /accounts/{account}/cards:
    get: { operationId: listCards, parameters: [${account("path")}, { name: q, in: query, schema: { type: string } }], responses: ${listed} }
  /accounts/{account}/cards/{id}:
    get: { operationId: getCard, parameters: [${account("path")}, ${account("path", "id")}], responses: ${found} }
  /transfers:
    get:
      operationId: listTransfers
      parameters:
        - ${account("query")}
        - { name: ids, in: query, schema: { type: array, items: { type: string }, maxItems: 50 } }
        - { name: filter, in: query, style: form, explode: true, schema: { type: object, additionalProperties: { type: string } } }
        - { name: Account, in: header, schema: { type: string } }
        - { name: X-Limit, in: header, schema: { type: integer } }
      responses: ${listed}
  /owners:
    get: { operationId: listOwners, parameters: [${account("header", "X-Account")}], responses: ${listed} }
  /orders:
    post:
      operationId: addOrder
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [account, name], properties: { account: { type: string }, name: { type: string } } } } } }
      responses: { "201": { description: ok, content: { application/json: { schema: ${named} } } } }
  /free/{id}:
    get: { operationId: getFree, security: [], parameters: [${account("path", "id")}], responses: ${found} }
  /cards/{id}:
    get: { operationId: cardById, parameters: [${account("path", "id")}, ${account("query")}], responses: ${found} }
`;

export const bankSchema = edited(
  spec["schema.graphql"] ?? "",
  "  notes:",
  `  cards(q: String): [Card!] @rest(operation: "listCards")
  card(id: ID!): Card @rest(operation: "getCard")
  transfers(ids: [ID!]): [Transfer!] @rest(operation: "listTransfers")
  owners: [Owner!] @rest(operation: "listOwners")
  notes:`,
)
  .replace(
    "type Mutation {",
    `type Mutation {
  addOrder(name: String!): Order! @rest(operation: "addOrder")`,
  )
  .concat(`
type Card {
  id: ID!
  name: String!
  transfer: Transfer @rest(operation: "listTransfers", batchBy: "id", params: [{ name: "ids", from: "parent.id" }])
}
${["Transfer", "Owner", "Order"].map((type) => `type ${type} {\n  id: ID!\n  name: String!\n}\n`).join("")}`);

export const bankCredentials = (origin: string): string => `bank:
  origin: ${origin}
  schemes: { client: { file: bank-client } }
  tenantParameters:
    GET /accounts/{account}/cards: { path: account }
    GET /accounts/{account}/cards/{id}: { path: account }
    GET /transfers: { query: account }
    GET /owners: { header: X-Account }
    POST /orders: { body: account }
  writes: { POST /orders: a tenant orders for itself }
`;
