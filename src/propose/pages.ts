/**
 * Finds a page in an operation's answer: a list with a cursor, and the parameters that read on. Names are all that a
 * document says about a cursor, so this is a guess, which the binder then proves.
 */
import { isSafe, type Parameter, type RestOperation } from "../openapi/operation.ts";
import { declaredProperty, type JsonType, type Property, type Shape } from "../openapi/shape.ts";
import { descriptionOf } from "./type-definitions.ts";

export type Page = {
  readonly shape: Shape;
  readonly list: Property;
  /** The values of `connection`, in the schema's notation. */
  readonly places: Readonly<Record<string, string>>;
  readonly after: Parameter;
  readonly first?: Parameter;
};

const names = {
  after: [
    "after",
    "cursor",
    "pagecursor",
    "aftercursor",
    "startcursor",
    "startingafter",
    "startafter",
  ].concat(["pagetoken", "nexttoken", "nextpagetoken", "nextcursor", "continuationtoken"]),
  first: ["first", "limit", "perpage", "pagesize", "pagelimit", "size", "count", "take", "maxresults"],
  next: ["next", "nextcursor", "nextpage", "nexttoken", "nextpagetoken", "nextpagecursor", "endcursor"],
  more: ["more", "hasmore", "hasnext", "hasnextpage", "nextpage"],
};

const plain = (name: string): string => name.replace(/[^A-Za-z0-9]/g, "").toLowerCase();

const hasName = (known: readonly string[], { name }: { readonly name: string }): boolean =>
  known.includes(plain(name)) && !name.includes(".");

const isOnly = ({ types }: Shape, type: JsonType): boolean => types.size === 1 && types.has(type);

/** Undefined if the answer is no page that a connection can be made of. */
export function pageOf({ method, parameters, successes }: RestOperation): Page | undefined {
  const [shape, ...others] = successes.flatMap((response) => response.shape ?? []);
  const queries = parameters.filter((parameter) => parameter.in === "query");
  const after = queries.find(
    (each) => hasName(names.after, each) && !each.required && isOnly(each.shape, "string"),
  );
  const list = shape && listIn(shape);
  if (!isSafe(method) || !shape || others.length > 0 || !after || !list) return undefined;
  const next = find(shape, "string", [...names.next, plain(after.name)]);
  if (next === undefined) return undefined;
  const more = find(shape, "boolean", names.more);
  const first = queries.find((each) => hasName(names.first, each) && isOnly(each.shape, "integer"));
  const places = { items: list.name, next, ...(more !== undefined && { more }) };
  return { shape, list, places, after, ...(first && { first }) };
}

/** The only list of the answer, or the one named as lists are. */
function listIn(shape: Shape): Property | undefined {
  const lists = [...shape.properties.values()].filter(
    (each) => !each.isUndeclared && each.only !== "request" && isList(each.shape) && !each.name.includes("."),
  );
  return lists.length === 1 ? lists[0] : lists.find(({ name }) => name === "items" || name === "data");
}

const isList = (shape: Shape): boolean => isOnly(shape, "array") && shape.items !== undefined;

/** The path of a property with one of the names: of the answer, or of an object in it. */
function find(shape: Shape, type: JsonType, known: readonly string[]): string | undefined {
  for (const owner of ["", ...shape.properties.keys()]) {
    const object = owner === "" ? shape : declaredProperty(shape, owner)?.shape;
    if (!object || owner.includes(".")) continue;
    const found = [...object.properties.values()].find(
      (each) =>
        hasName(known, each) &&
        !each.isUndeclared &&
        each.only !== "request" &&
        isOnly(each.shape, type) &&
        !isAddress(each),
    );
    if (found) return owner === "" ? found.name : `${owner}.${found.name}`;
  }
  return undefined;
}

/** The next page's address is no cursor. */
const isAddress = ({ shape, node }: Property): boolean =>
  shape.format?.startsWith("uri") === true ||
  /\b(url|uri|link)\b/i.test(String(descriptionOf(shape.node) ?? descriptionOf(node) ?? ""));
