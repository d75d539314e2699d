/** A vendor that takes access tokens by client credentials (RFC 6749 §4.4), and a stand-in of its token server. */
import { type Answer, canary, json, layer, spec, vendor } from "./vendor-project.ts";

const bank = `openapi: 3.1.0
info: { title: bank, version: "1" }
security: [{ oauth: [accounts] }]
components:
  securitySchemes:
    oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: /oauth/token, scopes: { accounts: read } } } }
paths:
  /accounts:
    get:
      operationId: listAccounts
      responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { type: object, required: [id], properties: { id: { type: string } } } } } } } }
    post:
      operationId: addAccount
      responses: { "201": { description: ok, content: { application/json: { schema: { type: object, required: [id], properties: { id: { type: string } } } } } } }
`;
const schema = (spec["schema.graphql"] ?? "")
  .replace("type Query {", 'type Query {\n  accounts: [Account!] @rest(operation: "listAccounts")')
  .replace("type Mutation {", 'type Mutation {\n  addAccount: Account @rest(operation: "addAccount")');

export type Form = { readonly form: URLSearchParams; readonly authorization: string | undefined };

/** A token server that issues `<prefix>1`, `<prefix>2`, …; `issue` changes a response. */
export async function tokenServer(issue: (count: number, sent: Form) => object = () => ({})) {
  const forms: Form[] = [];
  const server = await vendor((request, response, body) => {
    const sent = { form: new URLSearchParams(body), authorization: request.headers.authorization };
    const count = forms.push(sent);
    const {
      status = 200,
      headers = {},
      ...members
    }: { status?: number; headers?: object } = issue(count, sent);
    const token = {
      access_token: `${canary}-token-${count}`,
      token_type: "Bearer",
      expires_in: 3_600,
      ...members,
    };
    setTimeout(() => json(response, status, token, headers), 20);
  });
  return { ...server, forms };
}

export async function bankLayer(
  answer: Answer,
  tokens: { origin: string },
  members = "",
  scheme = "file: bank-client",
) {
  return layer(answer, {
    files: {
      "openapi/bank.yaml": bank,
      "schema.graphql": `${schema}\ntype Account {\n  id: ID!\n}\n`,
    },
    credentials: (origins) => `
bank:
  origin: ${origins.bank}
  schemes:
    oauth: { ${scheme}, oauth2ClientCredentials: { tokenUrl: "${tokens.origin}/oauth/token"${members} } }
  everyTenantMay: { GET /accounts: the fund is public, POST /accounts: anybody may open one }
  writes: { POST /accounts: anybody may open one }
`,
  });
}
