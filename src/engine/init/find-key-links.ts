/**
 * Finds links by keys: an object that names another one (`authorId`) gets a field for it (`author`), where the project has an
 * operation that takes a list of ids, or gets one object by its id. Names are all that a document says of this, so the
 * key must say whose id it is: without `Id` it is the name of the type, or of the resource in the path. The binder proves
 * the rest. A wrong link is worse than none: where two operations fit there is no link.
 */
import { getNamedType, getNullableType, isListType, isObjectType } from "graphql";
import { batchSize } from "../bind/batch.ts";
import { isPaging } from "../bind/list-length.ts";
import { type BoundField, boundFields, type Model } from "../bind/model.ts";
import type { Parameter } from "../openapi/operation.ts";
import { declaredProperty, isOnly, type Property } from "../openapi/shapes/shape.ts";
import { fieldName, lettersOf } from "../schema/graphql-names.ts";
import { fieldAt, fieldsOf } from "../schema/object-types.ts";

export type KeyLink = {
  /** The type that has the key. */
  readonly owner: string;
  readonly field: string;
  /** The lines of the field, the best binding first. */
  readonly bindings: readonly string[];
};

/** A field that brings objects of a type by their ids. */
type Bringer = {
  readonly field: BoundField;
  readonly type: string;
  readonly resource: string;
  readonly ids: Parameter;
  readonly isList: boolean;
};

/** `author` of `authorId`, `author_id` and `authorIDs`; `paid` is no key. */
const keyName = /^(.*[A-Za-z0-9])(?:[_-](?:ids?|Ids?|IDs?)|Ids?|IDs?)$/;

export function findKeyLinks(model: Model): KeyLink[] {
  const bringers = boundFields(model).flatMap((field) => bringerOf(model, field) ?? []);
  const byName: ByName = new Map();
  for (const bringer of bringers)
    for (const name of namesOf(bringer)) byName.set(name, [...(byName.get(name) ?? []), bringer]);
  const links = [...model.backings.keys()].flatMap((owner) => linksOf(model, owner, byName));
  const known = Map.groupBy(links, ({ owner, field }) => `${owner}.${field}`);
  return [...known.values()].flatMap((same) => (same.length === 1 ? same : []));
}

/** By the names that a key may have, without `Id`. */
type ByName = Map<string, readonly Bringer[]>;

function linksOf(model: Model, owner: string, byName: ByName): KeyLink[] {
  return shownProperties(model, owner).flatMap((name): KeyLink[] => {
    const base = keyName.exec(name)?.[1];
    const key = propertyOf(model, owner, name);
    if (base === undefined || !key) return [];
    const isMany = key.shape.types.has("array");
    const fitting = (byName.get(lettersOf(base)) ?? []).filter(
      (each) => (each.isList || !isMany) && !isSame(model, owner, each.type, name),
    );
    if (new Set(fitting.map((each) => each.type)).size > 1) return [];
    const [lists, gets] = [fitting.filter(({ isList }) => isList), fitting.filter(({ isList }) => !isList)];
    const bindings = [
      ...(lists[0] && lists.length === 1 ? batched(lists[0], name, isMany) : []),
      ...(gets[0] && gets.length === 1 ? [single(gets[0], name)] : []),
    ];
    const field = fieldName(isMany ? (lists[0]?.resource ?? base) : base);
    if (bindings.length === 0 || fieldAt(model.schema, owner, field)) return [];
    return [{ owner, field, bindings: bindings.map((each) => `${field}: ${each}`) }];
  });
}

/** The names of the properties that the type shows. */
function shownProperties({ schema, fields }: Model, owner: string): string[] {
  return fieldsOf(schema, owner).flatMap(({ name }) => {
    const field = fields.get(`${owner}.${name}`);
    return field?.kind === "plain" && field.path.length === 1 ? (field.path[0] ?? []) : [];
  });
}

/** Whether the key is the owner's own id: the object that it brings has the key too, and shows nothing that the owner lacks. */
function isSame(model: Model, owner: string, brought: string, key: string): boolean {
  const [own, other] = [shownProperties(model, owner), shownProperties(model, brought)];
  return owner === brought || (other.includes(key) && other.every((name) => own.includes(name)));
}

/** The property, if every REST object of the type sends it. */
function propertyOf({ backings }: Model, owner: string, name: string): Property | undefined {
  const found = (backings.get(owner) ?? []).map(({ shape }) => declaredProperty(shape, name));
  const isSent = found.every((each) => each !== undefined && each.only !== "request");
  const types = new Set(found.map((each) => [...(each?.shape.types ?? [])].join()));
  return isSent && types.size === 1 ? found[0] : undefined;
}

/** `categories` → `categories`, `categorie`, `categori`, `category`: one of them is the name of one. */
const singulars = (name: string): string[] => [
  name,
  name.replace(/s$/, ""),
  name.replace(/es$/, ""),
  name.replace(/ies$/, "y"),
];

const namesOf = ({ type, resource }: Pick<Bringer, "type" | "resource">): Set<string> =>
  new Set([lettersOf(type), ...singulars(lettersOf(resource))]);

function bringerOf({ schema }: Model, field: BoundField): Bringer | undefined {
  const { operation, connection, type: root } = field;
  const definition = schema.getQueryType()?.getFields()[field.field];
  if (!definition || root !== schema.getQueryType()?.name || operation.method !== "get") return undefined;
  const steps = operation.path.split("/");
  const required = operation.parameters.filter((each) => each.required);
  const inPath = required.filter((each) => each.in === "path");
  const isList = connection !== undefined || isListType(getNullableType(definition.type));
  const resource = steps.findLast((step) => !step.includes("{")) ?? "";
  const type = isList && connection ? nodeType(getNamedType(definition.type)) : getNamedType(definition.type);
  if (!isObjectType(type)) return undefined;
  const named = { type: type.name, resource };
  const ids = isList
    ? operation.parameters.find((each) => isIds(each, named))
    : inPath.find((each) => isId(each.name, named) && steps.at(-1) === `{${each.name}}`);
  // whatever else the call needs, the key does not say
  const isAlone = required.every((each) => each === ids) && operation.body?.required !== true;
  return ids && isAlone ? { field, ids, isList, ...named } : undefined;
}

/** The type of a connection's nodes. */
function nodeType(connection: unknown): unknown {
  const nodes = isObjectType(connection) ? connection.getFields().nodes : undefined;
  return nodes && getNamedType(nodes.type);
}

/** `id`, or `user_id` of users: what is found by an `email` has another key. */
function isId(name: string, named: Pick<Bringer, "type" | "resource">): boolean {
  const base = keyName.exec(name)?.[1];
  return lettersOf(name) === "id" || (base !== undefined && namesOf(named).has(lettersOf(base)));
}

const isIds = (
  { name, shape, in: location }: Parameter,
  named: Pick<Bringer, "type" | "resource">,
): boolean =>
  location === "query" &&
  isOnly(shape, "array") &&
  (["id", "ids"].includes(lettersOf(name)) || isId(name.replace(/\[\]$/, ""), named));

/** One call for many parents; with the longest page, if REST has pages. */
function batched({ field, type, ids }: Bringer, key: string, isMany: boolean): string[] {
  const { operation, connection, result } = field;
  const size = batchSize(ids);
  const pages = operation.parameters.filter((each) => isPaging(each) && each.limitPer !== ids.name);
  const place = connection ? connection.items : result;
  const written = (constants: readonly Parameter[]): string =>
    restOf(operation.id, [
      `{ name: ${JSON.stringify(ids.name)}, from: ${JSON.stringify(`parent.${key}`)} }`,
      ...constants.map(({ name }) => `{ name: ${JSON.stringify(name)}, value: ${size} }`),
    ]) +
    (place.length > 0 ? `, result: ${JSON.stringify(place.join("."))}` : "") +
    ', batchBy: "id")';
  return [`${isMany ? `[${type}]` : type}\n    ${written(pages)}`];
}

function single({ field, type, ids }: Bringer, key: string): string {
  const { operation, result } = field;
  const param = `{ name: ${JSON.stringify(ids.name)}, from: ${JSON.stringify(`parent.${key}`)} }`;
  const place = result.length > 0 ? `, result: ${JSON.stringify(result.join("."))}` : "";
  return `${type}\n    ${restOf(operation.id, [param])}${place})`;
}

const restOf = (id: string, params: readonly string[]): string =>
  `@rest(operation: ${JSON.stringify(id)}, params: [${params.join(", ")}]`;
