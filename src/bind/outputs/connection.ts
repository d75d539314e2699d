/**
 * Binds `connection`: a page of REST becomes a connection (GraphQL Cursor Connections Specification). The values that
 * `src/rest/connection.ts` makes join REST's properties in one shape, so the proof treats both alike.
 */
import { GraphQLInt, GraphQLString, getNullableType, isNonNullType, isObjectType } from "graphql";
import type { RestNode } from "../../openapi/document.ts";
import { emptyShape, type JsonType, makeProperty, type Property, type Shape } from "../../openapi/shape.ts";
import { madeIdentity } from "../../openapi/shape-identity.ts";
import { directivePlace } from "../../schema/directives.ts";
import type { Binder } from "../binder.ts";
import type { FieldInProgress } from "../field-in-progress.ts";
import type { Connection, Input } from "../model.ts";
import { describeShape } from "../type-rules.ts";
import { followPath } from "./follow-path.ts";
import type { ResponseValue } from "./response-value.ts";
import { connectionType, itemType } from "./type-expression.ts";

/** The connection and its value in place of the page `value`. Returns `undefined` after a finding. */
export function bindConnection(
  binder: Binder,
  field: FieldInProgress,
  inputs: readonly Input[],
  value: ResponseValue,
): { connection: Connection; value: ResponseValue } | undefined {
  const { items, next, more } = field.directive.connection ?? { items: "", next: "" };
  const [list, cursor, hasMore] = [items, next, more].map((path) =>
    path === undefined ? undefined : followPath(binder, field, value, path, "connection"),
  );
  if (!list || !cursor || (more !== undefined && !hasMore)) return undefined;
  const item = list.shape.items;
  const fits = [
    fitsType(binder, field, items, list.shape, "array"),
    fitsType(binder, field, next, cursor.shape, "string"),
    hasMore === undefined || fitsType(binder, field, more ?? "", hasMore.shape, "boolean"),
    fitsArguments(binder, field, inputs),
  ];
  if (!item || fits.includes(false)) return undefined;
  const itemExpression = binder.typeExpressionOf(item, itemType(list.typeExpression));
  return {
    connection: {
      items: items.split("."),
      next: next.split("."),
      ...(more !== undefined && { more: more.split(".") }),
      ...sizesOf(inputs),
    },
    value: {
      shape: connectionShape(value.shape, list, item),
      optional: value.optional,
      typeExpression: connectionType(value.typeExpression, itemExpression),
    },
  };
}

/** The page with what is made of its list: `edges`, `nodes` and `pageInfo`. */
export function connectionShape(
  page: Shape,
  list: Pick<ResponseValue, "shape" | "optional">,
  item: Shape,
): Shape {
  const { node } = list.shape;
  const made = (name: string, shape: Shape, required = true): [string, Property] => [
    name,
    makeProperty(name, node, required, () => shape, null),
  ];
  const text = (nullable: boolean): Shape => ({ ...emptyShape(node), types: new Set(["string"]), nullable });
  const flag: Shape = { ...emptyShape(node), types: new Set(["boolean"]) };
  const edge = objectShape(`edge(${item.identity.text}${item.nullable ? " or null" : ""})`, node, [
    made("node", item),
    made("cursor", text(false)),
  ]);
  const pageInfo = objectShape("pageInfo", node, [
    made("hasNextPage", flag),
    made("hasPreviousPage", flag),
    made("startCursor", text(true)),
    made("endCursor", text(true)),
  ]);
  const edges: Shape = { ...emptyShape(node), ...listOf(list.shape, edge) };
  return {
    ...objectShape(`connection(${page.identity.text})`, page.node, [
      ...page.properties,
      made("nodes", list.shape, !list.optional),
      made("edges", edges, !list.optional),
      made("pageInfo", pageInfo),
    ]),
    nullable: page.nullable,
  };
}

const listOf = ({ nullable, limits }: Shape, items: Shape) => ({
  types: new Set<JsonType>(["array"]),
  nullable,
  limits,
  items,
});

const objectShape = (identity: string, node: RestNode, properties: readonly [string, Property][]): Shape => ({
  ...emptyShape(node),
  identity: madeIdentity(identity),
  types: new Set(["object"]),
  properties: new Map(properties),
});

function fitsType(
  { findings }: Binder,
  { definition, where }: FieldInProgress,
  path: string,
  shape: Shape,
  type: JsonType,
): boolean {
  if (shape.types.size === 1 && shape.types.has(type)) return true;
  findings.add(
    "connection-unfit",
    { ...where, schema: directivePlace(definition, "rest", "connection"), rest: shape.node },
    `a connection needs ${type === "array" ? "a list" : `a ${type}`} at "${path}", but REST sends ${describeShape(shape)}`,
    "name the property of the page that holds it",
  );
  return false;
}

/** `first` may be missing: REST then decides how long a page is. */
function fitsArguments({ findings }: Binder, field: FieldInProgress, inputs: readonly Input[]): boolean {
  const { definition, directive, operation, where } = field;
  const add = (message: string, hint: string): false => {
    findings.add("connection-unfit", { ...where, rest: operation.node }, message, hint);
    return false;
  };
  if (directive.batchBy !== undefined)
    return add(
      `${where.coordinate} is a connection and batched, and a batch has no pages`,
      "remove one of them",
    );
  if (!isObjectType(getNullableType(definition.type)))
    return add(
      `${where.coordinate} is a connection, but its type is ${definition.type}`,
      "give it an object type with `edges` or `nodes`, and `pageInfo`",
    );
  const typeOf = (name: string) => definition.args.find((argument) => argument.name === name)?.type;
  const after = typeOf("after");
  if (!after || isNonNullType(after) || after !== GraphQLString || !inputOf(inputs, "after"))
    return add(
      `${where.coordinate} is a connection, which needs an argument \`after: String\` that feeds REST's cursor`,
      "add it, with @restName for the name of REST's parameter",
    );
  const first = typeOf("first");
  if (!first) return true;
  if (getNullableType(first) !== GraphQLInt || !inputOf(inputs, "first"))
    return add(
      `${where.coordinate} is a connection, whose \`first\` is an Int that feeds REST's page size`,
      "give it the type Int, and @restName for the name of REST's parameter",
    );
  if (sizesOf(inputs).first !== undefined || isNonNullType(first)) return true;
  return add(
    `${where.coordinate} is a connection, and how long its pages are without \`first\` is unknown`,
    "give `first` a default, or document the default of REST's parameter",
  );
}

const inputOf = (inputs: readonly Input[], argument: string): Input | undefined =>
  inputs.find(({ source }) => source.kind === "argument" && source.path.join(".") === argument);

function sizesOf(inputs: readonly Input[]): Pick<Connection, "first" | "most"> {
  const input = inputOf(inputs, "first");
  const { default: byDefault, maximum } = input?.shape.limits ?? {};
  const first = byDefault ?? input?.argumentDefault;
  return {
    ...(typeof first === "number" && { first }),
    ...(typeof maximum === "number" && { most: maximum }),
  };
}
