/**
 * Recognises paging in an operation's response: the list, and how to request the next page. Only the names in a document
 * identify cursors and page numbers, so the result is a guess. The binder proves it as far as possible.
 */
import { printable } from "../../shared/cli/printable.ts";
import { declaresOrigin, pagingOrigin } from "../bind/outputs/bind-paging.ts";
import { hasName, pagingNames as names, nestedObjects } from "../bind/outputs/paging-names.ts";
import { hasHeader, isSafe, type Parameter, type RestOperation } from "../openapi/operation.ts";
import { alwaysFits, propertiesOnPath } from "../openapi/shapes/property-paths.ts";
import {
  declaredProperty,
  describeShape,
  isNumeric,
  isOnly,
  type Property,
  responseProperties,
  type Shape,
} from "../openapi/shapes/shape.ts";
import { normalizeName } from "../schema/graphql-names.ts";
import { resourceName, singulars } from "./resource-paths.ts";
import { descriptionOf } from "./type-definitions.ts";

export type FoundPage = {
  /** The shape of the response; absent if the response is the list itself. */
  readonly shape?: Shape;
  readonly list: Pick<Property, "name" | "shape" | "required">;
  /** The arguments of `connection`. `pages` is the style of paging for a response without a cursor. */
  readonly paths: Readonly<Record<string, string>>;
  readonly pages?: "LINKED" | "NUMBERED" | "OFFSET";
  readonly after: Parameter;
  readonly first?: Parameter;
};

/** Names of properties beside a list that are about paging, but that a connection does not use. */
const pagingNames = ["pages", "totalpages", "pagecount", "pagination", "paging", "pageinfo", "links", "meta"]
  .concat(["metadata", "prev", "previous", "previouspage", "self", "object", "kind"])
  .concat(["itemcount", "itemsperpage"]);

const ofPages = new Set([...Object.values(names).flat(), ...pagingNames]);

/** Whether the name of a property beside a list shows that it is only about paging. */
export const isPagingProperty = ({ name }: Property): boolean => ofPages.has(normalizeName(name));

/** The page that was found. If the operation seems to have pages, but a connection cannot read them, `obstacle` is the reason. */
type PageSearch = { readonly page?: FoundPage; readonly obstacle?: string };

/** Finds the page in the operation's response. Returns an empty object if nothing suggests paging. */
export function searchPage(operation: RestOperation): PageSearch {
  const { method, parameters, successes } = operation;
  const [response, ...others] = successes.filter((each) => each.shape);
  const shape = response?.shape;
  if (!isSafe(method) || !shape) return {};
  const queries = parameters.filter((each) => each.in === "query");
  const [position] = queries.filter(isPosition);
  const lists = isList(shape) ? [{ name: "", shape, required: true }] : listsIn(shape);
  const list = choosePageList(lists, operation);
  if (!list || others.length > 0) {
    if (!position || !lists.some(hasObjects)) return {};
    const which = lists.map(({ name }) => JSON.stringify(name)).join(", ");
    return { obstacle: list ? "REST answers in several ways" : `which of ${which} is the page is unknown` };
  }
  const optional = queries.filter((each) => !each.required);
  const found = pagingOf(shape, list, hasHeader(response, "link"), optional);
  if (!found) return position ? { obstacle: obstacleOf(shape, queries, position) } : {};
  const { after, pages } = found;
  const first = namedIn(optional)(names.first, isNumeric);
  const isBare = shape === list.shape;
  const paths = Object.entries({ ...(!isBare && { items: list.name }), ...found.paths });
  return {
    page: {
      ...(!isBare && { shape }),
      list,
      after,
      paths: Object.fromEntries(paths.flatMap(([name, path]) => (path === undefined ? [] : [[name, path]]))),
      ...(pages && { pages }),
      ...(first && { first }),
    },
  };
}

/**
 * Returns a comment if the number of the first page or item is only guessed, and another operation declares a different first
 * number for a parameter of the same name.
 */
export function originComment({ after, pages }: FoundPage, operations: Iterable<RestOperation>): string[] {
  const origin = pagingOrigin(after);
  if ((pages !== "NUMBERED" && pages !== "OFFSET") || declaresOrigin(after.shape)) return [];
  const declared = [...operations]
    .flatMap(({ parameters }) => parameters)
    .filter((each) => each.in === "query" && each.name === after.name && declaresOrigin(each.shape))
    .map(pagingOrigin)
    .find((each) => each !== undefined && each !== origin);
  if (declared === undefined) return [];
  const parameter = printable(`query ${JSON.stringify(after.name)}`);
  return [
    `  # The first page has the ${parameter} ${origin}, which is a guess: other operations begin at ${declared}.`,
    `  # If this one does too, add "default: ${declared}" to the schema of its parameter in the overlay.`,
  ];
}

/** Whether the parameter's name suggests that it selects where a page begins. */
const isPosition = (each: Parameter): boolean =>
  [names.after, names.page, names.offset].some((known) => hasName(known, each)) &&
  each.shape.format?.startsWith("date") !== true &&
  !isFlag(each.shape);

const isText = (shape: Shape): boolean => isOnly(shape, "string");

const isNullableScalar = (shape: Shape): boolean => shape.nullable && (isText(shape) || isNumeric(shape));

const isFlag = (shape: Shape): boolean => isOnly(shape, "boolean");

const namedIn =
  (queries: readonly Parameter[]) =>
  (known: readonly string[], fits: (shape: Shape) => boolean): Parameter | undefined =>
    queries.find((each) => hasName(known, each) && fits(each.shape));

/** Whether the value of the parameter is the id of the last item on the previous page, as in Stripe's API. */
const startsAfterItem = ({ name }: Parameter): boolean => normalizeName(name) === "startingafter";

/** Returns the path of the items' ids if the cursor parameter accepts the id of every item. */
function idIn({ name, shape: { items } }: FoundPage["list"], cursor: Parameter): string | undefined {
  const isSent = items && !items.nullable && alwaysFits(items, ["id"], cursor.shape);
  return isSent ? [...(name === "" ? [] : [name]), "id"].join(".") : undefined;
}

/** The first paging style that the document supports. */
function pagingOf(shape: Shape, list: FoundPage["list"], isLinked: boolean, queries: readonly Parameter[]) {
  const named = namedIn(queries);
  const cursor = switchOf(queries) ? undefined : named(names.after, isText);
  const number = named(names.after, isNumeric);
  const isTwoWay = queries.some((each) => hasName(names.before, each));
  const page = named(names.page, isNumeric);
  const offset = named(names.offset, isNumeric);
  const next = cursor && find(shape, isText, [...names.next, normalizeName(cursor.name)]);
  const more = find(shape, isFlag, names.more);
  const end = more === undefined ? { last: endOf(shape) } : { more };
  const hasEnd = more !== undefined || end.last !== undefined;
  if (cursor && next !== undefined) return { after: cursor, paths: { next, ...end } };
  // some APIs use the name `offset` for a cursor, and return this cursor in an object about the next page
  const token = cursor ? undefined : (named(names.offset, isText) ?? named(names.page, isText));
  const tokenAt = token && find(shape, isText, [normalizeName(token.name)]);
  if (token && tokenAt !== undefined && /^next/i.test(tokenAt.split(".").at(-2) ?? ""))
    return { after: token, paths: { next: tokenAt, ...end } };
  const last = cursor && hasEnd ? find(shape, isText, names.last) : undefined;
  const id = last ?? (cursor && startsAfterItem(cursor) && hasEnd ? idIn(list, cursor) : undefined);
  if (cursor && id !== undefined) return { after: cursor, paths: { next: id, ...end } };
  const linked = cursor ?? number ?? page ?? offset ?? named(names.since, isNumeric);
  if (isLinked) return linked && { after: linked, paths: {}, pages: "LINKED" as const };
  const address = find(shape, isText, names.address, isAddress);
  // if the list can be read in both directions, the URL in `next` may be that of the previous page
  if (linked && address !== undefined && !isTwoWay)
    return { after: linked, paths: { next: address }, pages: "LINKED" as const };
  const counted = [page, offset].flatMap((each) => (each && pagingOrigin(each) !== undefined ? [each] : []));
  // Prefers a parameter with a declared origin, that is, the number of the first page or item. Otherwise prefers an offset to a
  // page number. Beside a cursor, a guessed number is not used, because it may be only informative.
  const after = counted.find((each) => declaresOrigin(each.shape)) ?? (cursor ? undefined : counted.at(-1));
  if (after && after === page) {
    const following = hasEnd
      ? undefined
      : find(shape, isNullableScalar, [...names.nextNumber, ...names.address], () => true);
    // if pages have numbers, a property named only `total` may be the number of pages, not of items
    const counts = names.total.filter((name) => name !== "total");
    const total = hasEnd || following !== undefined ? undefined : find(shape, isNumeric, counts);
    return { after, paths: { more: following, ...end, total }, pages: "NUMBERED" as const };
  }
  const total = hasEnd ? undefined : find(shape, isNumeric, names.total);
  return after && { after, paths: { ...end, total }, pages: "OFFSET" as const };
}

/** The path of a flag that is true on the last page: beside the list, or in an object that is only about paging. */
function endOf(shape: Shape): string | undefined {
  const path = find(shape, isFlag, names.end);
  const [outer = "", inner] = path?.split(".") ?? [];
  return inner === undefined || ofPages.has(normalizeName(outer)) ? path : undefined;
}

/** Returns the flag that switches REST from offsets to cursors, such as `usemarker`. */
const switchOf = (queries: readonly Parameter[]): Parameter | undefined => {
  const cursors = queries.filter((each) => hasName(names.after, each)).map(({ name }) => normalizeName(name));
  return queries.find(
    ({ name, shape }) =>
      isFlag(shape) &&
      cursors.some((cursor) => normalizeName(name) !== cursor && normalizeName(name).includes(cursor)),
  );
};

/** The reason why no next page can be requested. The parameter is the first one that selects where a page begins. */
function obstacleOf(
  shape: Shape,
  queries: readonly Parameter[],
  { name, required, shape: taken }: Parameter,
): string {
  const parameter = `query ${JSON.stringify(name)}`;
  if (required) return `${parameter} is required`;
  const flag = switchOf(queries);
  if (flag) return `REST sends cursors only if query ${JSON.stringify(flag.name)} is true`;
  if (!hasName(names.after, { name }))
    return isNumeric(taken)
      ? `where ${parameter} begins is unknown without a default or minimum`
      : `${parameter} is ${describeShape(taken)}`;
  const next = find(shape, (each) => !isText(each), [...names.next, normalizeName(name)]);
  if (next === undefined) return `the response has no text that ${parameter} takes for the next page`;
  const sent = propertiesOnPath(shape, next.split(".")).at(-1)?.shape;
  return `${JSON.stringify(next)} is ${describeShape(sent ?? shape)}, and ${parameter} takes ${describeShape(taken)}`;
}

/** Names of lists that a response may have beside the list of the page's items. */
const beside = new Set(["errors", "warnings"]);

const listsIn = (shape: Shape): Property[] =>
  responseProperties(shape).filter(
    (each) => isList(each.shape) && !each.name.includes(".") && !beside.has(normalizeName(each.name)),
  );

/**
 * Chooses the list with the page's items. Among several lists, prefers one with a usual name or the name of the path's
 * resource, then the only list of objects, then the only list of objects with an id.
 */
function choosePageList<List extends FoundPage["list"]>(
  lists: readonly List[],
  operation: RestOperation,
): List | undefined {
  const [only, ...others] = lists;
  if (others.length === 0) return only;
  const named = (name: string): List | undefined => lists.find((each) => normalizeName(each.name) === name);
  const [items, data, ...usual] = names.items.map(named);
  const resource = singulars(normalizeName(resourceName(operation)));
  const ofResource = lists.filter(({ name }) =>
    singulars(normalizeName(name)).some((each) => resource.includes(each)),
  );
  const objects = lists.filter(hasObjects);
  const identified = objects.filter(({ shape }) => shape.items && declaredProperty(shape.items, "id"));
  return (
    items ??
    data ??
    onlyOf(ofResource) ??
    usual.find((each) => each !== undefined) ??
    onlyOf(objects) ??
    onlyOf(identified)
  );
}

const hasObjects = ({ shape }: FoundPage["list"]): boolean =>
  shape.items !== undefined && isOnly(shape.items, "object");

const onlyOf = <T>([first, ...others]: readonly T[]): T | undefined =>
  others.length === 0 ? first : undefined;

const isList = (shape: Shape): boolean => isOnly(shape, "array") && shape.items !== undefined;

/**
 * The path of a property with one of the names, in order of preference. Searches the response and objects up to two levels
 * deep.
 */
function find(
  shape: Shape,
  hasType: (shape: Shape) => boolean,
  known: readonly string[],
  fits = (each: Property): boolean => !isAddress(each),
): string | undefined {
  for (const [path, object] of nestedObjects(shape, 2)) {
    const fitting = responseProperties(object).filter(
      (each) => hasName(known, each) && hasType(each.shape) && fits(each),
    );
    const [found] = fitting.sort(
      (one, other) => known.indexOf(normalizeName(one.name)) - known.indexOf(normalizeName(other.name)),
    );
    if (found) return [...path, found.name].join(".");
  }
  return undefined;
}

/** Whether the property is a URL. The URL of the next page is not a cursor, although it contains one. */
const isAddress = ({ shape, node }: Property): boolean =>
  shape.format?.startsWith("uri") === true ||
  /\b(url|uri|link)\b/i.test(String(descriptionOf(shape.node) ?? descriptionOf(node) ?? ""));
