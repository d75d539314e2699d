/** Defines the binding directives `@rest`, `@restName` and `@restEntries`, and reads their values from schema elements. */
import {
  type ArgumentNode,
  type ASTNode,
  type ConstDirectiveNode,
  type GraphQLSchema,
  getDirectiveValues,
  Kind,
  parse,
} from "graphql";
import { isRecord } from "../../shared/json-object.ts";
import type { FileLocation } from "../diagnostic.ts";
import type { InputLocation } from "../openapi/operation.ts";

/** `npm run docs` generates docs/reference/directives.md from the descriptions in these definitions. */
export const bindingDefinitions = parse(
  `
directive @rest(
  """
  The REST operation by its \`operationId\`, or by method and path: \`"GET /user"\`. With [several
  documents](mapping.md#several-documents): \`"shop/getUser"\`, \`"GET shop/user"\`. On a type with
  \`@key\`, the operation that [resolves the key](../guides/federation.md#resolve-each-key).
  Example: \`@rest(operation: "getUser")\`
  """
  operation: String!
  """
  Sources of parameters and body properties that no argument feeds.
  Example: \`@rest(operation: "listBooks", params: [{ name: "ids", from: "parent.ownerId" }])\`
  """
  params: [RestParam!]
  """
  The argument that is the whole body. Without it, the one input object that feeds nothing else is, if
  no argument feeds a part of the body.
  Example: \`@rest(operation: "addBook", body: "args.input")\`
  """
  body: String
  """
  The path of the value in the response body; dots go deeper. Without it, the whole body.
  Example: \`@rest(operation: "listBooks", result: "items")\`
  """
  result: String
  """
  One call for all parents of a level. This property of an item says which parent it belongs to.
  Example: \`@rest(operation: "listBooks", params: [{ name: "ids", from: "parent.ownerId" }], batchBy: "id")\`
  """
  batchBy: String
  """
  The response is a page, and the field a [connection](mapping.md#connections).
  Example: \`@rest(operation: "listBooks", connection: { items: "items", next: "nextCursor", more: "hasMore" })\`
  """
  connection: RestConnection
) on FIELD_DEFINITION
directive @restName(
  """
  The REST name of a field, argument, input field or enum value. In a field dots go deeper
  (\`"owner.login"\`), and a step that may be null makes the field nullable; a property whose name has
  dots comes first.
  Example: \`@restName(name: "phone_number")\`
  """
  name: String
  """
  The location of an argument's parameter (\`PATH\`, \`QUERY\`, \`HEADER\`, \`BODY\`), if its name occurs in
  several.
  Example: \`@restName(in: BODY)\`
  """
  in: RestIn
  """
  The field reads its parent's own REST object, such as a cursor beside the items.
  Example: \`@restName(self: true)\`
  """
  self: Boolean
) on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
"""
The field shows a map as the [list of its entries](mapping.md#maps).
Example: \`@rest(operation: "getScores") @restEntries\`
"""
directive @restEntries on FIELD_DEFINITION
input RestParam {
  """
  The REST name of the parameter or body property.
  Example: \`@rest(operation: "getBook", params: [{ name: "id", from: "parent.bookId" }])\`
  """
  name: String!
  """
  Its location, if its name occurs in several. \`ITEM\`: the value is [looked
  up](mapping.md#links-that-are-looked-up-in-a-list) in the items.
  Example: \`@rest(operation: "getBook", params: [{ name: "id", in: PATH, from: "parent.bookId" }])\`
  """
  in: RestIn
  """
  \`parent.…\` is a property of the parent's REST object, \`args.…\` an argument, \`<Type>.…\` a property of
  the nearest [enclosing object](mapping.md#values-of-enclosing-objects) of that type, \`argsAbove.…\`
  an [argument of a field above](mapping.md#arguments-of-fields-above).
  Example: \`@rest(operation: "getBook", params: [{ name: "id", from: "args.key" }])\`
  """
  from: String
  """
  A constant.
  Example: \`@rest(operation: "listBooks", params: [{ name: "limit", value: 100 }])\`
  """
  value: RestValue
}
input RestConnection {
  """
  The path of the page's list. Without it, the response is the list.
  Example: \`@rest(operation: "listBooks", connection: { items: "data.items", next: "data.next" })\`
  """
  items: String
  """
  The path of the next page's cursor, or with \`pages: LINKED\` of its address; null, empty or absent on
  the last page. A path in the items (\`data.id\`): the next page begins after the last item.
  Example: \`@rest(operation: "listBooks", connection: { items: "items", next: "nextCursor" })\`
  """
  next: String
  """
  The path of what says whether there is a next page: a boolean, or a text or number that is null, absent,
  empty or 0 on the last page. Without it, the cursor decides.
  Example: \`@rest(operation: "listBooks", connection: { items: "items", next: "nextCursor", more: "hasMore" })\`
  """
  more: String
  """
  Instead of \`more\`: the path of a boolean that is true on the last page. REST may leave it out on others.
  Example: \`@rest(operation: "listBooks", connection: { items: "data", next: "iterator", last: "done" })\`
  """
  last: String
  """
  The path of the number of all items, for \`OFFSET\` and \`NUMBERED\`: the page that reaches it is
  the last one.
  Example: \`@rest(operation: "getUsers", connection: { items: "data", pages: OFFSET, total: "meta.filter_count" })\`
  """
  total: String
  """
  How to get the next page if the response has no cursor: \`LINKED\`, \`NUMBERED\` or \`OFFSET\`.
  Example: \`@rest(operation: "listBooks", connection: { pages: LINKED })\`
  """
  pages: RestPages
}
enum RestPages { LINKED NUMBERED OFFSET }
enum RestIn { PATH QUERY HEADER BODY ITEM }
scalar RestValue
`,
  { noLocation: true },
);

export const bindingDefinitionNames = new Set([
  "rest",
  "restName",
  "restEntries",
  "RestParam",
  "RestConnection",
  "RestPages",
  "RestIn",
  "RestValue",
]);

export type RestParam = {
  readonly name: string;
  readonly in?: InputLocation;
  readonly from?: string;
  readonly value?: unknown;
};

export type RestDirective = {
  readonly operation: string;
  readonly params: readonly RestParam[];
  readonly body?: string;
  readonly result?: string;
  readonly batchBy?: string;
  readonly connection?: RestConnection;
};

/** Paths in the response body, such as `data.items`. `pages`: the paging style without a cursor in the body. */
type RestConnection = {
  readonly items?: string;
  readonly next?: string;
  readonly more?: string;
  readonly last?: string;
  readonly total?: string;
  readonly pages?: "LINKED" | "NUMBERED" | "OFFSET";
};

type RestName = { readonly name?: string; readonly in?: InputLocation; readonly self?: boolean };

/** A schema element that may have directives: a field, an argument, an input field or an enum value. */
export type DirectiveCarrier = {
  readonly astNode?: (ASTNode & { readonly directives?: readonly ConstDirectiveNode[] }) | null | undefined;
};

const lower = (location: unknown): InputLocation | undefined =>
  typeof location === "string" ? (location.toLowerCase() as InputLocation) : undefined;

/** Returns `undefined` for an element without `@rest`. */
export function readRest(schema: GraphQLSchema, carrier: DirectiveCarrier): RestDirective | undefined {
  const values = directiveValues(schema, "rest", carrier);
  if (!values) return undefined;
  const params = (values.params ?? []) as Record<string, unknown>[];
  return {
    ...(values as unknown as RestDirective),
    params: params.map(({ from, ...param }) => ({
      ...(param as Pick<RestParam, "name" | "value">),
      in: lower(param.in),
      ...(typeof from === "string" && { from }),
    })),
  };
}

/** Returns an empty object for an element without `@restName`. */
export function readRestName(schema: GraphQLSchema, carrier: DirectiveCarrier): RestName {
  const values = directiveValues(schema, "restName", carrier) ?? {};
  const location = lower(values.in);
  return {
    ...(typeof values.name === "string" && { name: values.name }),
    ...(location && { in: location }),
    ...(values.self === true && { self: true }),
  };
}

/** Whether the field has the directive `@restEntries`, so that it lists the entries of a REST map. */
export const showsEntries = (schema: GraphQLSchema, field: DirectiveCarrier): boolean =>
  directiveValues(schema, "restEntries", field) !== undefined;

/** Prints `@rest(…)` without undefined arguments. */
export const restText = (directive: Pick<RestDirective, "operation"> & Partial<RestDirective>): string =>
  `@rest(${membersText(directive)})`;

const membersText = (members: object): string =>
  Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${isEnumMember(name) ? String(value).toUpperCase() : valueText(value)}`)
    .join(", ");

const isEnumMember = (name: string): boolean => name === "in" || name === "pages";

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  return isRecord(value) ? `{ ${membersText(value)} }` : JSON.stringify(value);
}

/** Returns a directive's arguments that are not null. */
function directiveValues(
  schema: GraphQLSchema,
  name: string,
  carrier: DirectiveCarrier,
): Record<string, unknown> | undefined {
  const definition = schema.getDirective(name);
  const values = definition && carrier.astNode ? getDirectiveValues(definition, carrier.astNode) : undefined;
  return values && Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** Returns the most specific location that exists: the item at `index`, the argument, the directive, or the element. */
export function directiveLocation(
  carrier: DirectiveCarrier,
  directive: string,
  argument?: string,
  index?: number,
): FileLocation | undefined {
  const node = carrier.astNode?.directives?.find(({ name }) => name.value === directive);
  const found =
    argument === undefined ? undefined : node?.arguments?.find(({ name }) => name.value === argument);
  return nodeLocation(itemOf(found, index) ?? found ?? node ?? carrier.astNode);
}

const itemOf = (argument: ArgumentNode | undefined, index: number | undefined): ASTNode | undefined =>
  argument && index !== undefined && argument.value.kind === Kind.LIST
    ? argument.value.values[index]
    : undefined;

export function nodeLocation(node: ASTNode | null | undefined): FileLocation | undefined {
  const named = node && "name" in node && node.name ? node.name : node;
  const start = named?.loc?.startToken;
  return start && { file: named.loc?.source.name ?? "", line: start.line, column: start.column };
}
