/** Builds the example request that `init` prints: a query for one field, with a placeholder for the required credential. */
import {
  type GraphQLOutputType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from "graphql";
import { quoteArgument } from "../../shared/cli/printable.ts";
import { membersOf } from "../../shared/json-object.ts";
import { boundFields, type Model } from "../bind/model.ts";
import type { RestNode } from "../openapi/document.ts";
import { headerOf, schemesOf } from "../openapi/security.ts";

export type ExampleRequest = {
  readonly command: string;
  /** What the document says about each required credential, such as `api-key: Authorization: ApiKey <api_key>`. */
  readonly credentials: readonly string[];
};

/** Returns `undefined` if every field of `Query` has a required argument. */
export function exampleRequest(model: Model): ExampleRequest | undefined {
  const root = model.schema.getQueryType()?.name;
  const field = boundFields(model).find(
    ({ type, definition }) => type === root && !definition.args.some(isRequiredArgument),
  );
  if (!field) return undefined;
  const { definition, operation } = field;
  const [schemes = []] = schemesOf(model.document, operation);
  const credentials = schemes.flatMap(({ node }) => placeholderHeader(node) ?? []);
  const selection = selectionOf(definition.type) ?? " { __typename }";
  const headers = ["content-type: application/json", ...credentials].map(
    (each) => `-H ${quoteArgument(each)}`,
  );
  const body = JSON.stringify({ query: `{ ${definition.name}${selection} }` });
  return {
    command: `curl http://127.0.0.1:4000/v1/graphql ${headers.join(" ")} -d ${quoteArgument(body)}`,
    credentials: schemes.flatMap(({ name, node }) => describedScheme(name, node) ?? []),
  };
}

/** Fields that lead to the items of a page. */
const ofPages = ["nodes", "edges", "node"];
/** Fields by which people recognise an object. */
const ofObjects = ["name", "title", "id"];
const mostLevels = 4;

/**
 * Returns a selection set with one scalar, such as ` { edges { node { id } } }`, or an empty text for a scalar. `undefined` if
 * the type has no scalar within `mostLevels`.
 */
function selectionOf(type: GraphQLOutputType, levels = mostLevels): string | undefined {
  const named = getNamedType(type);
  if (isLeafType(named)) return "";
  if (levels === 0 || !(isObjectType(named) || isInterfaceType(named))) return undefined;
  const fields = Object.values(named.getFields()).filter(
    ({ args, deprecationReason }) => !args.some(isRequiredArgument) && deprecationReason === undefined,
  );
  const rank = ({ name, type: field }: (typeof fields)[number]): number => {
    if (ofPages.includes(name)) return 0;
    if (!isLeafType(getNamedType(field))) return 3;
    return ofObjects.includes(name) ? 1 : 2;
  };
  for (const field of fields.toSorted((one, other) => rank(one) - rank(other))) {
    const below = selectionOf(field.type, levels - 1);
    if (below !== undefined) return ` { ${field.name}${below} }`;
  }
  return undefined;
}

const mostDescribed = 300;

function describedScheme(name: string, scheme: RestNode | undefined): string | undefined {
  const { description } = membersOf(scheme?.value);
  if (headerOf(scheme) === undefined || typeof description !== "string") return undefined;
  const text = description.replaceAll(/\s+/g, " ").trim();
  if (text === "") return undefined;
  return `${name}: ${text.length > mostDescribed ? `${text.slice(0, mostDescribed)}…` : text}`;
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
