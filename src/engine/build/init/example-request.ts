/** Builds the example request that `init` prints: a query for one field, with a placeholder for the required credential. */
import { getNamedType, isLeafType, isRequiredArgument } from "graphql";
import { quoteArgument } from "../../shared/cli/printable.ts";
import { membersOf } from "../../shared/json-object.ts";
import { boundFields, type Model } from "../bind/model.ts";
import type { RestNode } from "../openapi/document.ts";
import { headerOf, schemesOf } from "../openapi/security.ts";

/** Returns a shell command, or `undefined` if every field of `Query` has a required argument. */
export function exampleRequest(model: Model): string | undefined {
  const root = model.schema.getQueryType()?.name;
  const field = boundFields(model).find(
    ({ type, definition }) => type === root && !definition.args.some(isRequiredArgument),
  );
  if (!field) return undefined;
  const { definition, operation } = field;
  const [schemes = []] = schemesOf(model.document, operation);
  const credentials = schemes.flatMap(({ node }) => placeholderHeader(node) ?? []);
  const selection = isLeafType(getNamedType(definition.type)) ? "" : " { __typename }";
  const headers = ["content-type: application/json", ...credentials].map(
    (each) => `-H ${quoteArgument(each)}`,
  );
  const body = JSON.stringify({ query: `{ ${definition.name}${selection} }` });
  return `curl http://127.0.0.1:4000/v1/graphql ${headers.join(" ")} -d ${quoteArgument(body)}`;
}

/** Returns `authorization: Bearer <token>` (RFC 6750 §2.1), `authorization: Basic …` (RFC 7617), or an API key's header. */
function placeholderHeader(scheme: RestNode | undefined): string | undefined {
  const header = headerOf(scheme);
  const { type, scheme: name } = membersOf(scheme?.value);
  if (header === undefined) return undefined;
  if (type === "apiKey") return `${header}: <key>`;
  const isBasic = type === "http" && String(name).toLowerCase() === "basic";
  return `${header}: ${isBasic ? "Basic <user:password in base64>" : "Bearer <token>"}`;
}
