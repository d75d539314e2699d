/**
 * Binds `connection`, which presents a REST page as a connection (GraphQL Cursor Connections Specification). Adds `edges`,
 * `nodes` and `pageInfo` to the schema of the page, so that their fields are checked like all others.
 */
import { GraphQLInt, GraphQLString, getNullableType, isNonNullType, isObjectType } from "graphql";
import { type Page, pageParts } from "../../../shared/page.ts";
import {
  describeShape,
  isNumeric,
  isOnly,
  type JsonType,
  type Shape,
  typesFit,
  withNullable,
} from "../../openapi/shapes/shape.ts";
import { atRestDirective, type FieldContext } from "../field-context.ts";
import type { Input } from "../model.ts";
import { bindPaging, inputOfArgument, pageSizesOf } from "./bind-paging.ts";
import { connectionShape, pageOfBareList } from "./connection-shape.ts";
import { followPath, type ResponseValue } from "./response-value.ts";
import { connectionType, itemType } from "./type-expression.ts";

/** Returns `undefined` after reporting an invalid connection. */
export function bindConnection(
  field: FieldContext,
  inputs: readonly Input[],
  value: ResponseValue,
): { connection: Page; value: ResponseValue } | undefined {
  const { items, next, more, last, total } = field.directive.connection ?? {};
  const isBare = items === undefined;
  const ofItem = pathInItem(field, value);
  const valueAt = (path: string | undefined) =>
    path === undefined ? undefined : followPath(field, value, path, "connection");
  const found = valueAt(items);
  const ownCursor = valueAt(ofItem ? undefined : next);
  const hasMore = valueAt(more ?? last);
  const count = valueAt(total);
  const list = isBare ? { ...value, shape: withNullable(value.shape, false), optional: false } : found;
  const cursor = ofItem ? ofLastItem(field, list, ofItem) : ownCursor;
  const item = list?.shape.items;
  const nextPage = bindPaging(field, inputs, ofItem);
  const fits = [
    list && fitsType(field, items, list.shape, "array"),
    next === undefined || (cursor && fitsCursor(field, inputs, cursor.shape)),
    more === undefined || (hasMore && fitsMore(field, more, hasMore)),
    last === undefined || (hasMore && fitsLast(field, last, hasMore)),
    total === undefined || (count && fitsType(field, total, count.shape, "number")),
    fitsArguments(field, inputs),
  ];
  if (!list || !item || !nextPage || !fits.every((each) => each)) return undefined;
  const written = itemType(list.typeExpression);
  const parts = { items: list, next: ownCursor, more: hasMore, total: count };
  const required = pageParts.filter((part) => parts[part] && isRequired(parts[part]));
  const itemExpression = item.nullable ? written : field.binder.typeExpressionOf(item, written);
  return {
    connection: {
      items: items?.split(".") ?? [],
      next: nextPage,
      ...(more !== undefined && { more: more.split(".") }),
      ...(hasMore && isScalar(hasMore.shape) && { moreIf: "present" }),
      ...(last !== undefined && { more: last.split("."), moreIf: "false" }),
      ...(required.length > 0 && { required }),
      ...pageSizesOf(inputs),
    },
    value: {
      shape: connectionShape(isBare ? pageOfBareList(value.shape, item) : value.shape, list, item),
      optional: value.optional,
      typeExpression: connectionType(isBare ? undefined : value.typeExpression, itemExpression),
    },
  };
}

const isRequired = ({ optional, shape }: ResponseValue): boolean =>
  !optional && !shape.nullable && shape.types.size > 0;

/** `next: "data.id"` with `items: "data"` → `id`, because the cursor is a property of the last item. */
function pathInItem({ directive }: FieldContext, { shape }: ResponseValue): string | undefined {
  const { items, next, pages } = directive.connection ?? {};
  if (next === undefined || pages !== undefined) return undefined;
  if (items === undefined) return isOnly(shape, "array") ? next : undefined;
  return next.startsWith(`${items}.`) ? next.slice(items.length + 1) : undefined;
}

/** Checks that every item has the cursor, because a last item without it would hide the remaining pages. */
function ofLastItem(
  field: FieldContext,
  list: ResponseValue | undefined,
  path: string,
): ResponseValue | undefined {
  const item = list?.shape.items;
  if (!list || !item) return undefined;
  const from = { ...list, shape: item, optional: false, typeExpression: itemType(list.typeExpression) };
  const found = followPath(field, from, path, "connection");
  if (!found || !(found.optional || found.shape.nullable || item.nullable)) return found;
  field.binder.findings.add(
    "connection-unfit",
    { ...atRestDirective(field, "connection"), rest: found.shape.node },
    `the next page begins after "${path}" of the last item, which REST may leave out`,
    "name a value that each item has, or document it as required, in an overlay if the document is a vendor's",
  );
  return undefined;
}

function fitsType(field: FieldContext, path: string | undefined, shape: Shape, type: JsonType): boolean {
  const place = path === undefined ? "" : ` at "${path}"`;
  if (type === "number" ? isNumeric(shape) : isOnly(shape, type)) return true;
  const needed = type === "array" ? "a list" : `a ${type}`;
  field.binder.findings.add(
    "connection-unfit",
    { ...atRestDirective(field, "connection"), rest: shape.node },
    `a connection needs ${needed}${place}, but REST sends ${describeShape(shape)}`,
    "name the property of the page that holds it, or document its type, in an overlay if the document is a vendor's",
  );
  return false;
}

/**
 * Checks that `more` is a boolean, or a string or number that REST may leave out: if always present, it would announce a next
 * page even on the last page.
 */
function fitsMore(field: FieldContext, path: string, value: ResponseValue): boolean {
  if (!isScalar(value.shape)) return fitsType(field, path, value.shape, "boolean");
  if (!isRequired(value)) return true;
  field.binder.findings.add(
    "connection-unfit",
    { ...atRestDirective(field, "connection"), rest: value.shape.node },
    `REST always sends ${describeShape(value.shape)} at "${path}", also on the last page`,
    "name a boolean, or a value that is null or absent on the last page; or document it as nullable, in an overlay if the document is a vendor's",
  );
  return false;
}

function fitsLast(field: FieldContext, path: string, { shape }: ResponseValue): boolean {
  if (field.directive.connection?.more === undefined) return fitsType(field, path, shape, "boolean");
  field.binder.findings.add(
    "connection-unfit",
    { ...atRestDirective(field, "connection"), rest: shape.node },
    "`more` and `last` both name the value that ends the list",
    "remove one of them",
  );
  return false;
}

const isScalar = ({ types }: Shape): boolean =>
  types.size > 0 && [...types].every((type) => type === "string" || type === "integer" || type === "number");

/**
 * Checks that the parameter of `after` accepts the cursor at `next`. With `pages: LINKED`, the value is a URL, which only has to
 * be a string.
 */
function fitsCursor(field: FieldContext, inputs: readonly Input[], shape: Shape): boolean {
  const { next, pages } = field.directive.connection ?? {};
  const { in: place, name, shape: accepted, node } = inputOfArgument(inputs, "after") ?? {};
  if (pages === "LINKED" || !isNumeric(shape) || !accepted) {
    if (!fitsType(field, next, shape, "string")) return false;
    const isAccepted = !accepted || typesFit(shape, accepted);
    if (pages === "LINKED" || (isAccepted && !shape.format?.startsWith("uri"))) return true;
  } else if (place !== "body" && typesFit(shape, accepted)) return true;
  const isAddress = shape.format?.startsWith("uri");
  field.binder.findings.add(
    "connection-unfit",
    { ...atRestDirective(field, "connection"), rest: shape.node, also: [node] },
    isAddress
      ? `REST sends a URL at "${next}", which is not a cursor`
      : `the cursor at "${next}" is ${describeShape(shape)}, but ${place} "${name}" takes ${describeShape(accepted as Shape)}`,
    isAddress
      ? "write `pages: LINKED` beside `next`: the cursor is the value of the parameter that `after` feeds, in the URL's query"
      : "have `after` feed the parameter that takes the cursor, outside the body",
  );
  return false;
}

function fitsArguments(field: FieldContext, inputs: readonly Input[]): boolean {
  const { findings } = field.binder;
  const { definition, directive, operation, where } = field;
  let fits = true;
  const add = (message: string, hint: string): void => {
    findings.add("connection-unfit", { ...where, rest: operation.node }, message, hint);
    fits = false;
  };
  if (directive.batchBy !== undefined)
    add(`${where.coordinate} is a connection and batched, and a batch has no pages`, "remove one of them");
  if (!isObjectType(getNullableType(definition.type)))
    add(
      `${where.coordinate} is a connection, but its type is ${definition.type}`,
      "give it an object type with `edges` or `nodes`, and `pageInfo`",
    );
  const typeOf = (name: string) => definition.args.find((argument) => argument.name === name)?.type;
  // `argument-unused` has already reported an argument that feeds no parameter
  const isReported = (name: string): boolean => findings.hasErrorAt(`${where.coordinate}(${name}:)`);
  if (isReported("after")) fits = false;
  else if (typeOf("after") !== GraphQLString || !inputOfArgument(inputs, "after"))
    add(
      `${where.coordinate} is a connection, which needs an argument \`after: String\` that feeds REST's cursor`,
      "add it, with @restName for the name of REST's parameter",
    );
  const first = typeOf("first");
  const isOffset = directive.connection?.pages === "OFFSET"; // an offset grows by the number of items, whatever the page size is
  if (isReported("first")) fits = false;
  else if (first && (getNullableType(first) !== GraphQLInt || !inputOfArgument(inputs, "first")))
    add(
      `${where.coordinate} is a connection, whose \`first\` is an Int that feeds REST's page size`,
      "give it the type Int, and @restName for the name of REST's parameter",
    );
  else if (first && !isOffset && pageSizesOf(inputs).first === undefined && !isNonNullType(first))
    add(
      `${where.coordinate} is a connection, and the length of its pages without \`first\` is unknown`,
      "give `first` a default, or document the default of REST's parameter",
    );
  return fits;
}
