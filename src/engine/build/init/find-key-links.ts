/**
 * Finds links by keys: an object that names another one (`authorId`) gets a field for it (`author`), where the project has an
 * operation that takes a list of ids, gets one object by its id, or gives them all. Names are all that a document says of
 * this, so the key must say whose id it is: without `Id` it is the name of the type, or of the resource in the path. The
 * binder proves the rest. A wrong link is worse than none: where two operations fit there is no link.
 */
import { maxBatchSize } from "../bind/bind-batch.ts";
import { isPagingParameter } from "../bind/list-length.ts";
import { boundFields, type Model } from "../bind/model.ts";
import { declaredProperty, type Property } from "../openapi/shapes/shape.ts";
import { type RestParam, restText } from "../schema/directives.ts";
import { fieldName, normalizeName } from "../schema/graphql-names.ts";
import { fieldsOf } from "../schema/object-types.ts";
import { findLookupField, keyName, keyNamesOf, type LookupField } from "./lookup-fields.ts";

export type KeyLink = {
  /** The type that has the key. */
  readonly owner: string;
  readonly field: string;
  /** The lines of the field, the best binding first. */
  readonly bindings: readonly string[];
  /** How many of them do not look the key up in a list, of which no document says that it is whole. */
  readonly sure: number;
};

export function findKeyLinks(model: Model): KeyLink[] {
  const bringers = boundFields(model).flatMap((field) => findLookupField(model, field) ?? []);
  const byName: ByName = new Map();
  for (const bringer of bringers)
    for (const name of keyNamesOf(bringer)) byName.set(name, [...(byName.get(name) ?? []), bringer]);
  const links = [...model.backings.keys()].flatMap((owner) => linksOf(model, owner, byName));
  const known = Map.groupBy(links, ({ owner, field }) => `${owner}.${field}`);
  return [...known.values()].flatMap((same) => (same.length === 1 ? same : []));
}

/** By the names that a key may have, without `Id`. */
type ByName = Map<string, readonly LookupField[]>;

function linksOf(model: Model, owner: string, byName: ByName): KeyLink[] {
  return shownProperties(model, owner).flatMap((name): KeyLink[] => {
    const base = keyName.exec(name)?.[1];
    const key = propertyOf(model, owner, name);
    if (base === undefined || !key) return [];
    const isMany = key.shape.types.has("array");
    const fitting = (byName.get(normalizeName(base)) ?? []).filter(
      (each) => (each.brings !== "one" || !isMany) && !isSame(model, owner, each.type, name),
    );
    const keyed = fitting.filter(({ brings }) => brings !== "all");
    const types = new Set((keyed.length > 0 ? keyed : fitting).map((each) => each.type));
    if (types.size > 1) return [];
    const only = (brings: LookupField["brings"]): LookupField[] => {
      const found = fitting.filter((each) => each.brings === brings && types.has(each.type));
      return found.length === 1 ? found : [];
    };
    const ofKeys = [
      ...only("some").map((each) => batched(each, name)),
      ...only("one").map((each) => single(each, name)),
    ];
    const lookUps = only("all").map((each) => lookedUp(each, name));
    const [list] = [...only("some"), ...only("all")];
    const field = fieldName(isMany ? (list?.resource ?? base) : base);
    const [first] = types;
    const bindings = [...ofKeys, ...lookUps].map(
      (each) => `${field}: ${isMany ? `[${first}]` : first}\n    ${each}`,
    );
    if (bindings.length === 0 || fieldsOf(model.schema, owner).some(({ name }) => name === field)) return [];
    return [{ owner, field, bindings, sure: ofKeys.length }];
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

/** One call for many parents; with the longest page, if REST has pages. */
function batched({ field: { operation }, ids, place }: LookupField, key: string): string {
  const size = ids ? maxBatchSize(ids) : 0;
  const pages = operation.parameters.filter((each) => isPagingParameter(each) && each.limitPer !== ids?.name);
  const params = [fedBy(ids?.name, key), ...pages.map(({ name }) => ({ name, value: size }))];
  return restText({ operation: operation.id, params, result: resultAt(place), batchBy: "id" });
}

const single = ({ field: { operation }, ids, place }: LookupField, key: string): string =>
  restText({ operation: operation.id, params: [fedBy(ids?.name, key)], result: resultAt(place) });

const lookedUp = ({ field: { operation }, place }: LookupField, key: string): string =>
  restText({
    operation: operation.id,
    params: [{ name: "id", in: "item", from: `parent.${key}` }],
    result: resultAt(place),
  });

const fedBy = (name = "", key: string): RestParam => ({ name, from: `parent.${key}` });

const resultAt = (place: readonly string[]): string | undefined => place.join(".") || undefined;
