/**
 * Proposes links for key properties such as `authorId`, as SDL that extends the schema. A link that binds without findings
 * becomes a field. A link that calls REST once per parent, or that searches a list, becomes a comment, because the user must
 * decide. A link with an error is dropped.
 */
import {
  type GraphQLFieldMap,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from "graphql";
import { printable } from "../../shared/cli/printable.ts";
import { bindSdl } from "../bind/bind.ts";
import { maxBatchSize } from "../bind/bind-batch.ts";
import { isPagingParameter } from "../bind/list-length.ts";
import { type BoundField, boundFields, type Model } from "../bind/model.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { isSafe, ownPath, type Parameter } from "../openapi/operation.ts";
import {
  declaredProperty,
  isOnly,
  type Property,
  responseProperties,
  type Shape,
} from "../openapi/shapes/shape.ts";
import { type RestParam, restText } from "../schema/directives.ts";
import { fieldName, normalizeName } from "../schema/graphql-names.ts";
import { fieldsOf } from "../schema/object-types.ts";
import { modelWithoutFields } from "./empty-schema.ts";
import { keyName, keysFor, propertiesFor, resourceIn } from "./key-names.ts";
import { examplesOf, linkContradiction } from "./link-contradiction.ts";
import { isApiOrVersion } from "./proposed-names.ts";
import { resourceName, singulars, stepsOf } from "./resource-paths.ts";

export type KeyLinks = {
  /** An empty text if there are no links. */
  readonly sdl: string;
  /** The number of links that became fields, and of links that became comments. */
  readonly fields: number;
  readonly comments: number;
};

/** A link, and the index of the binding being tried. */
type Tried = { readonly link: KeyLink; readonly index: number };

const contradictedHead = `# Links that the names of keys suggest and the document contradicts: remove the # only if you know better.
`;

const commentHead = (hasItem: boolean): string =>
  `# Links that the names of keys suggest: remove the # of those that you want.${hasItem ? " One with ITEM needs a list that is always complete." : ""}
# Each${hasItem ? " other" : ""} one makes a call for each parent: approve the finding of \`npm run check\`.
`;

type Extended = {
  readonly sdl: string;
  /** The document bound to `sdl`, or `undefined` if `sdl` is invalid. */
  readonly bound: Model | undefined;
  /** The coordinates of errors that `sdl` has even without the links. */
  readonly wrong?: ReadonlySet<string>;
  /** Coordinates of links to omit. */
  readonly known?: ReadonlySet<string>;
};

/** Returns the links that extend `sdl`. `model` is the document bound to an empty schema. */
export function keyLinks(model: Model, { sdl, bound, wrong: before, known }: Extended): KeyLinks {
  let tried: Tried[] = (bound ? findKeyLinks(bound) : [])
    .filter((link) => !known?.has(coordinateOf(link)))
    .map((link) => ({ link, index: 0 }));
  while (tried.length > 0) {
    const { diagnostics } = bindSdl(model, `${sdl}\n\n${tried.map(extension).join("\n\n")}`);
    const wrong = new Set([...coordinatesOf(diagnostics, "error")].filter((each) => !before?.has(each)));
    const doubtful = coordinatesOf(diagnostics, "warning");
    const failed = tried.filter(({ link }) => wrong.has(coordinateOf(link)));
    if (failed.length === 0) {
      // the remaining errors are not at the links, so it is unknown which link caused them, and all links are dropped
      if (wrong.size > 0) tried = [];
      const isDoubtful = ({ link, index }: Tried): boolean =>
        index >= link.sure || link.contradiction !== undefined || doubtful.has(coordinateOf(link));
      const comments = tried.filter(isDoubtful);
      const fields = tried.filter((each) => !isDoubtful(each));
      return { sdl: written(fields, comments), fields: fields.length, comments: comments.length };
    }
    tried = tried
      .map((each) => (failed.includes(each) ? { ...each, index: each.index + 1 } : each))
      .filter(({ link, index }) => index < link.bindings.length);
  }
  return { sdl: "", fields: 0, comments: 0 };
}

/** Returns the links that become possible when the SDL `added` is appended to `schema`. `before` is the model of `schema`. */
export function addedKeyLinks(before: Model, schema: string, added: string): string {
  const sdl = `${schema}\n\n${added}`;
  const { model: bound, diagnostics } = bindSdl(before, sdl);
  const known = new Set(findKeyLinks(before).map(coordinateOf));
  const wrong = coordinatesOf(diagnostics, "error");
  return keyLinks(modelWithoutFields(before), { sdl, bound, wrong, known }).sdl;
}

const coordinateOf = ({ owner, field }: KeyLink): string => `${owner}.${field}`;

const coordinatesOf = (diagnostics: readonly Diagnostic[], severity: Diagnostic["severity"]): Set<string> =>
  new Set(diagnostics.flatMap((each) => (each.severity === severity ? [each.coordinate] : [])));

function written(fields: readonly Tried[], comments: readonly Tried[]): string {
  const commentText = (links: readonly Tried[]): string =>
    links
      .map((each) => `${each.link.contradiction ?? ""}\n${extension(each)}`)
      .map((text) => text.trim().replaceAll(/^/gm, "# "))
      .join("\n#\n");
  const contradicted = commentText(comments.filter(({ link }) => link.contradiction !== undefined));
  const offered = commentText(comments.filter(({ link }) => link.contradiction === undefined));
  return [
    ...fields.map(extension),
    ...(offered ? [commentHead(offered.includes("in: ITEM")) + offered] : []),
    ...(contradicted ? [contradictedHead + contradicted] : []),
  ].join("\n\n");
}

const extension = ({ link: { owner, bindings }, index }: Tried): string =>
  `extend type ${owner} {\n  ${bindings[index]}\n}`;

/**
 * A link by a key: an object with an `authorId`, or with an `author` that is `{ id, type }`, gets a field for the author. Some
 * operation must accept a list of ids, return an object by its id, or return all objects. Likewise, an object with a `plan_code`
 * gets a field for the plan if an operation returns a plan by its `code`. An OpenAPI document does not declare which object a key
 * refers to. So the key minus its suffix `Id` or `code` must name the type or the resource in the path, and the binder must prove
 * that the types fit. A wrong link is worse than none, so there is no link if two operations match.
 */
type KeyLink = {
  /** The type with the key property, which gets the new field. */
  readonly owner: string;
  readonly field: string;
  /** The SDL of the field for each possible binding, best binding first. */
  readonly bindings: readonly string[];
  /**
   * The first `sure` bindings look up the object by its id, or by a property that it is known to have. The others are doubtful:
   * they search a list that may be incomplete, or depend on a parameter that may accept another value.
   */
  readonly sure: number;
  /** Whether the value of the key is an id. If not, it is the value of another property, such as a code. */
  readonly isById: boolean;
  /** Describes how the document contradicts the link; `undefined` if it does not. */
  readonly contradiction: string | undefined;
};

function findKeyLinks(model: Model): KeyLink[] {
  const lookups = boundFields(model).flatMap((field) => findLookupField(model, field) ?? []);
  const targets = { ...indexLookups(lookups), namesakes: findNamesakes(model) };
  const links = [...model.backings.keys()].flatMap((owner) => linksOf(model, owner, targets));
  const known = Map.groupBy(links, coordinateOf);
  return [...known.values()].flatMap((same) => {
    const byId = same.filter(({ isById }) => isById);
    const best = byId.length > 0 ? byId : same;
    return best.length === 1 ? best : [];
  });
}

type Index = ReadonlyMap<string, readonly LookupField[]>;

/** Where `linksOf` searches for the objects that keys refer to. */
type Targets = {
  /** By key name minus `Id`: the lookup fields of the types that the key may refer to. */
  readonly byName: Index;
  /** By key name: the lookup fields that find an object by a property other than its id. */
  readonly byKey: Index;
  readonly namesakes: Namesakes;
};

function indexLookups(lookups: readonly LookupField[]): Pick<Targets, "byName" | "byKey"> {
  const byName = new Map<string, LookupField[]>();
  const byKey = new Map<string, LookupField[]>();
  const add = (index: typeof byName, name: string, lookup: LookupField): void => {
    const found = index.get(name);
    if (found) found.push(lookup);
    else index.set(name, [lookup]);
  };
  for (const lookup of lookups) {
    const names = keyNamesOf(lookup);
    const alternate = alternateKey(lookup);
    const keys = alternate ? [...names].flatMap((name) => keysFor(alternate.name, name)) : names;
    for (const key of new Set(keys)) add(alternate ? byKey : byName, key, lookup);
  }
  return { byName, byKey };
}

/** The name of the object that a key refers to, and the lookup fields that may find the object. */
function targetsOf(model: Model, owner: string, key: string, { byName, byKey }: Targets) {
  const base = key === "id" ? referencedName(model, owner) : keyName.exec(key)?.[1];
  const found = base === undefined ? undefined : byName.get(normalizeName(base));
  if (base !== undefined && found) return { base, lookups: found };
  const lookups = byKey.get(normalizeName(key)) ?? [];
  const [named] = lookups.flatMap((each) =>
    [...keyNamesOf(each)].flatMap((name) => resourceIn(key, name) ?? []),
  );
  return named === undefined ? undefined : { base: named, lookups };
}

function linksOf(model: Model, owner: string, targets: Targets): KeyLink[] {
  return shownProperties(model, owner).flatMap((name): KeyLink[] => {
    const key = propertyOf(model, owner, name);
    const target = key && targetsOf(model, owner, name, targets);
    if (!target) return [];
    const { base, lookups } = target;
    const isMany = key.shape.types.has("array");
    const fitting = lookups.filter(
      (each) => (each.returns !== "one" || !isMany) && !isSame(model, owner, each.type, name),
    );
    const keyed = fitting.filter(({ returns }) => returns !== "all");
    const types = new Set((keyed.length > 0 ? keyed : fitting).map((each) => each.type));
    if (types.size > 1) return [];
    const only = <R extends LookupField["returns"]>(returns: R) => {
      const found = fitting.filter(
        (each): each is LookupField & { returns: R } => each.returns === returns && types.has(each.type),
      );
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
    const used = [...only("some"), ...only("one"), ...only("all")];
    const owners = shapesOf(model, owner);
    const contradiction = used
      .map((each) => {
        const namesake = namesakeOf(each, targets.namesakes);
        return (
          linkContradiction(model.document, { property: key, name: base, owners }, idsOf(model, each)) ??
          (namesake && printable(`${name} may be of another resource of that name: ${namesake}`)) ??
          otherKeyOf(model, owner, name)
        );
      })
      .find((each) => each !== undefined);
    const isById = !used.some(alternateKey);
    const isSure = isById || used.every((each) => idPropertiesOf(model, each).length > 0);
    return [{ owner, field, bindings, sure: isSure ? ofKeys.length : 0, isById, contradiction }];
  });
}

/**
 * A name such as `_userId` usually means an internal id. If the object also has a key such as `externalUserId`, returns a doubt
 * about the link: the operation may accept the external id.
 */
function otherKeyOf(model: Model, owner: string, key: string): string | undefined {
  if (!key.startsWith("_")) return undefined;
  const name = normalizeName(key);
  const other = shownProperties(model, owner).find(
    (each) => each !== key && normalizeName(each).endsWith(name),
  );
  return other && printable(`${key} may be an internal id: the object also has ${other}`);
}

/** The properties that an object may have if it is only a reference to another object, as in the APIs of PagerDuty and Jira. */
const referenceProperties = new Set("id type self href link url html_url summary name key".split(" "));

/**
 * Names the object that a reference `{ id, type }` refers to. The name is the value of `type` minus `_reference`: for example,
 * `service` for `service_reference`. If the document lists no values of `type`, the name is that of the GraphQL fields which
 * return the reference. Returns `undefined` if the object is not a reference, or if the name is ambiguous.
 */
function referencedName(model: Model, owner: string): string | undefined {
  const shapes = shapesOf(model, owner);
  const types = shapes.flatMap((shape) => {
    const type = declaredProperty(shape, "type");
    return type && isOnly(type.shape, "string") ? [{ shape, type }] : [];
  });
  if (types.length < shapes.length) return undefined;
  const stated = new Set(
    types.flatMap(({ shape, type }) => [
      ...(type.shape.values ?? []),
      ...examplesOf(model.document, type, type.shape, [shape]),
    ]),
  );
  const [value, ...others] = stated;
  if (others.length > 0 || (value !== undefined && typeof value !== "string")) return undefined;
  const [, stem] = /^(.*[A-Za-z0-9])(?:[_-]?ref(?:erence)?)$/i.exec(value ?? "") ?? [];
  if (stem !== undefined) return stem;
  const isReference = shapes.every((shape) =>
    responseProperties(shape).every(({ name }) => referenceProperties.has(name)),
  );
  return isReference ? (value ?? onlyHolder(model, owner)) : undefined;
}

/** Returns the name that all fields of this type share; `undefined` if their names differ, or if one of them returns a list. */
function onlyHolder({ fields }: Model, type: string): string | undefined {
  const holders = [...fields.values()].filter(
    ({ definition }) => getNamedType(definition.type).name === type,
  );
  const [name, ...others] = new Set(holders.map(({ definition }) => definition.name));
  const areSingle = holders.every(
    ({ kind, definition }) => kind === "plain" && !isListType(getNullableType(definition.type)),
  );
  return areSingle && others.length === 0 ? name : undefined;
}

/**
 * Maps a resource name to one path in each area of the API that has the resource. An area consists of the path segments before
 * the resource.
 */
type Namesakes = ReadonlyMap<string, ReadonlyMap<string, string>>;

function findNamesakes({ operations }: Model): Namesakes {
  const found = new Map<string, Map<string, string>>();
  for (const operation of operations.values()) {
    const steps = stepsOf(ownPath(operation)).slice(1);
    for (const [index, step] of steps.entries()) {
      // a resource after a path parameter is part of another resource, so keys do not refer to it by name alone
      if (step.includes("{")) break;
      for (const name of step === "" ? [] : singulars(normalizeName(step))) {
        const areas = found.get(name) ?? new Map<string, string>();
        const area = areaOf(steps.slice(0, index));
        found.set(name, areas);
        if (!areas.has(area)) areas.set(area, ownPath(operation));
      }
    }
  }
  return found;
}

/** The path segments before a resource, except `api` and versions. */
const areaOf = (before: readonly string[]): string =>
  before.filter((each) => !isApiOrVersion(each)).join("/");

/** Returns a path of a resource with the same name in another area of the API, because a key may refer to either resource. */
function namesakeOf(
  { field: { operation }, resource }: LookupField,
  namesakes: Namesakes,
): string | undefined {
  // the path of a lookup has no parameter before the resource, because a key could not supply its value
  const steps = stepsOf(ownPath(operation)).slice(1);
  const area = areaOf(steps.slice(0, steps.lastIndexOf(resource)));
  if (area === "") return undefined;
  const areas = singulars(normalizeName(resource)).flatMap((name) => [...(namesakes.get(name) ?? [])]);
  return areas.find(([other]) => other !== area)?.[1];
}

/** The names of the REST properties that the type's fields read directly from the REST object. */
function shownProperties({ schema, fields }: Model, owner: string): string[] {
  return fieldsOf(schema, owner).flatMap(({ name }) => {
    const field = fields.get(`${owner}.${name}`);
    return field?.kind === "plain" && field.path.length === 1 ? field.path : [];
  });
}

/** Whether the key is the owner's own id: the linked type also has the key, and the owner has all of its properties. */
function isSame(model: Model, owner: string, linked: string, key: string): boolean {
  const own = shownProperties(model, owner);
  const other = shownProperties(model, linked);
  return other.includes(key) && other.every((name) => own.includes(name));
}

/** The schemas of the REST objects that the type is read from. */
const shapesOf = ({ backings }: Model, type: string): Shape[] =>
  (backings.get(type) ?? []).map(({ shape }) => shape);

/** Returns the property with this name if every REST object of the type has it. */
function propertyOf(model: Model, owner: string, name: string): Property | undefined {
  const found = shapesOf(model, owner).map((shape) => declaredProperty(shape, name));
  const isSent = found.every((each) => each !== undefined && each.only !== "request");
  const types = new Set(found.map((each) => [...(each?.shape.types ?? [])].join()));
  return isSent && types.size === 1 ? found[0] : undefined;
}

/** The `@rest` directive that fetches the objects of many parents in one call, with the maximum page size if REST has pages. */
function batched({ field: { operation }, ids, path }: KeyedLookup, key: string): string {
  const pages = operation.parameters.filter((each) => isPagingParameter(each) && each.limitPer !== ids.name);
  const params = [fedBy(ids.name, key), ...pages.map(({ name }) => ({ name, value: maxBatchSize(ids) }))];
  return restText({ operation: operation.id, params, result: resultAt(path), batchBy: "id" });
}

const single = ({ field: { operation }, ids, path }: KeyedLookup, key: string): string =>
  restText({ operation: operation.id, params: [fedBy(ids.name, key)], result: resultAt(path) });

const lookedUp = ({ field: { operation }, path }: LookupField, key: string): string =>
  restText({
    operation: operation.id,
    params: [{ name: "id", in: "item", from: `parent.${key}` }],
    result: resultAt(path),
  });

/** Returns the parameter that accepts the ids, and the returned objects' properties that contain the id. */
function idsOf(model: Model, lookup: LookupField): Property[] {
  const { ids } = lookup;
  return [...(ids ? [ids] : []), ...idPropertiesOf(model, lookup)];
}

/** Returns the returned objects' properties that contain the value of the operation's lookup parameter. */
function idPropertiesOf(model: Model, lookup: LookupField): Property[] {
  const alternate = alternateKey(lookup);
  if (!alternate) return [propertyOf(model, lookup.type, "id") ?? []].flat();
  const names = new Set([...keyNamesOf(lookup)].flatMap((name) => propertiesFor(alternate.name, name)));
  return shapesOf(model, lookup.type)
    .slice(0, 1)
    .flatMap(responseProperties)
    .filter(({ name }) => names.has(normalizeName(name)))
    .flatMap(({ name }) => propertyOf(model, lookup.type, name) ?? []);
}

const fedBy = (name: string, key: string): RestParam => ({ name, from: `parent.${key}` });

const resultAt = (path: readonly string[]): string | undefined => path.join(".") || undefined;

/**
 * A root field that finds objects of a type: several objects by a list of ids, one object by its id, or all objects. The ids
 * parameter and the list of objects are recognised by name.
 */
type LookupField = {
  readonly field: BoundField;
  readonly type: string;
  readonly resource: string;
  /** The path of the object or list in the response. */
  readonly path: readonly string[];
} & (
  | {
      readonly returns: "one" | "some";
      readonly ids: Parameter;
    }
  | { readonly returns: "all"; readonly ids: undefined }
);

/** Returns the lookup's path parameter if it accepts a value other than the object's id, for example a `code`. */
const alternateKey = (lookup: LookupField): Parameter | undefined =>
  lookup.returns === "one" && !isId(lookup.ids.name, lookup) ? lookup.ids : undefined;

type KeyedLookup = Extract<LookupField, { ids: Parameter }>;

const keyNamesOf = ({ type, resource }: Pick<LookupField, "type" | "resource">): Set<string> =>
  new Set([normalizeName(type), ...singulars(normalizeName(resource))]);

function findLookupField(model: Model, field: BoundField): LookupField | undefined {
  const { operation, result, type: root, definition } = field;
  if (root !== model.schema.getQueryType()?.name || !isSafe(operation.method)) return undefined;
  const steps = stepsOf(operation.path);
  const required = operation.parameters.filter((each) => each.required);
  const resource = resourceName(operation);
  // whether the operation requires no input besides the ids, because a key can supply nothing else
  const isAlone = (ids?: Parameter): boolean =>
    required.every((each) => each === ids) && operation.body?.required !== true;
  const list = listOf(model, field, definition.type, resource);
  const type = list ? list.type : getNamedType(definition.type);
  if (!isObjectType(type)) return undefined;
  const named = { type: type.name, resource };
  if (list) {
    const ids = operation.parameters.find((each) => isIds(each, named));
    if (!isAlone(ids)) return undefined;
    const lookup = { field, ...named, path: list.path };
    if (ids) return { ...lookup, returns: "some", ids };
    return field.connection ? undefined : { ...lookup, returns: "all", ids };
  }
  const id = required.find((each) => steps.at(-1) === `{${each.name}}`);
  return id && isAlone(id) ? { field, ...named, returns: "one", path: result, ids: id } : undefined;
}

type Listed = { readonly type: unknown; readonly path: readonly string[] };

/**
 * Finds the list of objects in the field's value. If the value is an object, exactly one list must have a name or type like the
 * path's resource.
 */
function listOf(
  { fields }: Model,
  { operation, connection, result }: BoundField,
  type: GraphQLOutputType,
  resource: string,
): Listed | undefined {
  const named = getNamedType(type);
  const inner = isObjectType(named) ? named.getFields() : {};
  if (connection) return { type: nodeType(inner), path: connection.items };
  if (isListType(getNullableType(type))) return { type: named, path: result };
  if (operation.parameters.some(({ required }) => required)) return undefined;
  const lists = Object.values(inner).flatMap((each): Listed[] => {
    const own = fields.get(`${named.name}.${each.name}`);
    const item = getNamedType(each.type);
    const isList = isListType(getNullableType(each.type)) && isObjectType(item) && own?.kind === "plain";
    return isList ? [{ type: item, path: [...result, ...own.path] }] : [];
  });
  const names = singulars(normalizeName(resource));
  const [list, ...others] = lists.filter(({ type, path }) =>
    [normalizeName(String(type)), normalizeName(path.at(-1) ?? "")].some((name) => names.includes(name)),
  );
  return others.length === 0 ? list : undefined;
}

/** The type of a connection's nodes, from `nodes` or from `edges.node`. */
function nodeType({ nodes, edges }: GraphQLFieldMap<unknown, unknown>): unknown {
  const edge = edges && getNamedType(edges.type);
  const node = nodes ?? (isObjectType(edge) ? edge.getFields().node : undefined);
  return node && getNamedType(node.type);
}

/** Whether the name is `id`, or consists of the name of the type or resource and `id`: for example, `user_id` for users. */
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
