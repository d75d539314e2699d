/**
 * Finds the root fields that bring objects of a type: by a list of ids, one by its id, or all of them. Names say which
 * parameter takes ids, and which list is that of the type.
 */
import { type GraphQLOutputType, getNamedType, getNullableType, isListType, isObjectType } from "graphql";
import type { BoundField, Model } from "../bind/model.ts";
import type { Parameter } from "../openapi/operation.ts";
import { isOnly } from "../openapi/shapes/shape.ts";
import { normalizeName } from "../schema/graphql-names.ts";

export type LookupField = {
  readonly field: BoundField;
  readonly type: string;
  readonly resource: string;
  readonly brings: "one" | "some" | "all";
  /** What takes the id, or the ids. */
  readonly ids?: Parameter;
  /** The place of the object or of the list in the answer. */
  readonly place: readonly string[];
};

/** `author` of `authorId`, `author_id` and `authorIDs`; `paid` is no key. */
export const keyName = /^(.*[A-Za-z0-9])(?:[_-](?:ids?|Ids?|IDs?)|Ids?|IDs?)$/;

/** `categories` → `categories`, `categorie`, `categori`, `category`: one of them is the name of one. */
const singulars = (name: string): string[] => [
  name,
  name.replace(/s$/, ""),
  name.replace(/es$/, ""),
  name.replace(/ies$/, "y"),
];

export const keyNamesOf = ({ type, resource }: Pick<LookupField, "type" | "resource">): Set<string> =>
  new Set([normalizeName(type), ...singulars(normalizeName(resource))]);

export function findLookupField(model: Model, field: BoundField): LookupField | undefined {
  const { operation, result, type: root, definition } = field;
  if (root !== model.schema.getQueryType()?.name || operation.method !== "get") return undefined;
  const steps = operation.path.split("/");
  const required = operation.parameters.filter((each) => each.required);
  const resource = steps.findLast((step) => !step.includes("{")) ?? "";
  // whatever else the call needs, the key does not say
  const isAlone = (ids?: Parameter): boolean =>
    required.every((each) => each === ids) && operation.body?.required !== true;
  const list = listOf(model, field, definition.type, resource);
  const type = list?.type ?? getNamedType(definition.type);
  if (!isObjectType(type)) return undefined;
  const named = { type: type.name, resource };
  if (list) {
    const ids = operation.parameters.find((each) => isIds(each, named));
    const brings = ids ? "some" : "all";
    const isLeft = !isAlone(ids) || (brings === "all" && field.connection !== undefined);
    return isLeft ? undefined : { field, ...named, brings, place: list.place, ...(ids && { ids }) };
  }
  const id = required.find(
    (each) => each.in === "path" && isId(each.name, named) && steps.at(-1) === `{${each.name}}`,
  );
  return id && isAlone(id) ? { field, ...named, brings: "one", place: result, ids: id } : undefined;
}

type Listed = { readonly type: unknown; readonly place: readonly string[] };

/** The field's list; or the only list of the object that it brings, if the path's last name is that of the list. */
function listOf(
  { fields }: Model,
  { operation, connection, result }: BoundField,
  type: GraphQLOutputType,
  resource: string,
): Listed | undefined {
  const named = getNamedType(type);
  if (connection) return { type: nodeType(named), place: connection.items };
  if (isListType(getNullableType(type))) return { type: named, place: result };
  if (operation.parameters.some(({ required }) => required)) return undefined;
  const lists = Object.values(isObjectType(named) ? named.getFields() : {}).flatMap((each): Listed[] => {
    const own = fields.get(`${named.name}.${each.name}`);
    const item = getNamedType(each.type);
    const isList = isListType(getNullableType(each.type)) && isObjectType(item) && own?.kind === "plain";
    return isList ? [{ type: item, place: [...result, ...own.path] }] : [];
  });
  const [list, ...others] = lists;
  const names = singulars(normalizeName(resource));
  const isNamed = [normalizeName(String(list?.type)), normalizeName(list?.place.at(-1) ?? "")].some((name) =>
    names.includes(name),
  );
  return isNamed && others.length === 0 ? list : undefined;
}

/** The type of a connection's nodes. */
function nodeType(connection: unknown): unknown {
  const nodes = isObjectType(connection) ? connection.getFields().nodes : undefined;
  return nodes && getNamedType(nodes.type);
}

/** `id`, or `user_id` of users: what is found by an `email` has another key. */
function isId(name: string, named: Pick<LookupField, "type" | "resource">): boolean {
  const base = keyName.exec(name)?.[1];
  return normalizeName(name) === "id" || (base !== undefined && keyNamesOf(named).has(normalizeName(base)));
}

const isIds = (
  { name, shape, in: location }: Parameter,
  named: Pick<LookupField, "type" | "resource">,
): boolean =>
  location === "query" &&
  isOnly(shape, "array") &&
  (["id", "ids"].includes(normalizeName(name)) || isId(name.replace(/\[\]$/, ""), named));
