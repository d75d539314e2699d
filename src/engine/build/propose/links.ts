/**
 * Finds the type that an operation can become a field of. For example, `/libraries/{library_id}/books/{id}/pages` can be a field
 * of the type that `/libraries/{library_id}/books/{id}` returns. Path parameters shared by the new field's call and the calls
 * that fetch the type must then have the same sources. Links are declared in the document, or suggested by paths and names; the
 * binder proves suggested links.
 */
import { getNamedType, getNullableType, isObjectType } from "graphql";
import { membersOf } from "../../shared/json-object.ts";
import { argumentsAbove, findPathOutside } from "../bind/enclosing-types.ts";
import { formatSource } from "../bind/inputs/input-source.ts";
import { type BoundField, boundFields, type Model, type ModelField } from "../bind/model.ts";
import { entriesByKey, type RestNode, type RootNode } from "../openapi/document.ts";
import { unescapePointer } from "../openapi/json-pointer.ts";
import { isSafe, type Parameter, type RestOperation, sentMethod } from "../openapi/operation.ts";
import { lazy } from "../openapi/shapes/lazy.ts";
import { fitsIfPresent } from "../openapi/shapes/property-paths.ts";
import { splitWords } from "../schema/graphql-names.ts";
import { stepsOf } from "./resource-paths.ts";

const isParameter = (step = ""): boolean => /^\{.*\}$/.test(step);

/** Indexes a model for link lookups, because it may have thousands of fields and operations. */
export class Links {
  readonly #model: Model;
  /** Bound fields that only read, by path minus parameter names. */
  readonly #byPath: ReadonlyMap<string, readonly BoundField[]>;
  readonly #declared: ReadonlyMap<string, readonly Link[]>;
  /** All fields, by the object type that they return. */
  readonly #byType: ReadonlyMap<string, readonly ModelField[]>;

  constructor(model: Model) {
    this.#model = model;
    const reading = boundFields(model).filter(({ operation }) => isSafe(operation.method));
    this.#declared = declaredLinks(model);
    this.#byPath = Map.groupBy(reading, ({ operation }) => pathKey(stepsOf(operation.path)));
    this.#byType = Map.groupBy(model.fields.values(), (field) => typeOf(field)[0] ?? "");
  }

  /** Returns the link by which the operation can become a field of a type. */
  of(operation: RestOperation): Link | undefined {
    const model = this.#model;
    const steps = stepsOf(operation.path);
    const [declared] = this.#declared.get(operation.id) ?? [];
    if (declared && isSafe(operation.method)) return declared;
    const last = steps.findLastIndex(isParameter);
    const below = steps.slice(last + 1);
    if (!isSafe(operation.method) || last < 2 || below.length === 0) return undefined;
    const above = steps.slice(0, last + 1);
    const fields = this.#byPath.get(pathKey(above)) ?? [];
    for (const type of new Set(fields.flatMap(typeOf))) {
      const fetching = lazy(() => this.#fieldsFetching(type, above));
      const froms = above.flatMap((step, index) => {
        if (!isParameter(step)) return [];
        const name = step.slice(1, -1);
        const parameter = operation.parameters.find((each) => each.in === "path" && each.name === name);
        const own = index === last && parameter ? ownKey(model, type, parameter) : undefined;
        return [{ name, from: own ?? inherited(model, type, fetching() ?? [], index) }];
      });
      if (froms.every((each): each is Link["params"][number] => each.from !== undefined))
        return { type, name: below.join(" "), params: froms };
    }
    return undefined;
  }

  /**
   * Returns the fields whose calls fetch objects of the type: one object at the path, or a list at the parent path. Returns
   * `undefined` if objects of the type also occur inside other objects, because they may have another path.
   */
  #fieldsFetching(
    type: string,
    above: readonly string[],
    within: readonly string[] = [],
  ): BoundField[] | undefined {
    const found: BoundField[] = [];
    for (const field of this.#byType.get(type) ?? []) {
      const isPage =
        ["node", "nodes", "edges"].includes(field.definition.name) && !within.includes(field.type);
      const fields =
        field.kind === "bound"
          ? [field]
          : isPage
            ? this.#fieldsFetching(field.type, above, [...within, type])
            : undefined;
      if (!fields?.every(({ operation }) => isAt(operation, above) || isAt(operation, above.slice(0, -1))))
        return undefined;
      found.push(...fields);
    }
    return found;
  }
}

/** The path without the names of its parameters, for example `/books/{}`. */
const pathKey = (steps: readonly string[]): string =>
  steps.map((step) => (isParameter(step) ? "{}" : step)).join("/");

/** Whether the operation only reads, and has this path apart from parameter names. */
const isAt = (operation: RestOperation, steps: readonly string[]): boolean =>
  isSafe(operation.method) && pathKey(stepsOf(operation.path)) === pathKey(steps);

function typeOf({ definition }: ModelField): string[] {
  const named = getNamedType(definition.type);
  return isObjectType(named) ? [named.name] : [];
}

/**
 * For `book_id`, returns `parent.book_id` or `parent.id`, whichever every REST object of the type has. The property may be null
 * or absent; the link is then null.
 */
function ownKey(model: Model, type: string, { name, shape }: Parameter): string | undefined {
  const ends = splitWords(name).map((_, index, all) => all.slice(index).join("_").toLowerCase());
  const objects = model.backings.get(type) ?? [];
  const key = [name, ...ends].find((each) =>
    objects.every((object) => fitsIfPresent(object.shape, [each], shape)),
  );
  return key === undefined ? undefined : `parent.${key}`;
}

/**
 * Returns the source of a path parameter in the calls that fetch the type. Returns `undefined` if these calls have different
 * sources, or if a link cannot use the source.
 */
function inherited(
  { schema }: Model,
  type: string,
  fetching: readonly BoundField[],
  index: number,
): string | undefined {
  const found = new Set(
    fetching.map(({ operation, inputs, type: owner }) => {
      const steps = stepsOf(operation.path);
      const source = inputs.find(({ name, in: at }) => at === "path" && `{${name}}` === steps[index])?.source;
      if (!source || source.kind === "constant" || source.kind === "tenant") return undefined;
      if (source.kind === "parent") return [owner, ...source.path].join(".");
      if (source.kind === "argument")
        return source.path.length === 1 ? `argsAbove.${source.path[0]}` : undefined;
      return formatSource(source);
    }),
  );
  const [from] = found;
  if (found.size !== 1 || from === undefined) return undefined;
  const [root = "", step = ""] = from.split(".");
  if (root !== "argsAbove") return root === type || findPathOutside(schema, type, root) ? undefined : from;
  const { fields, around } = argumentsAbove(schema, type, step);
  const types = new Set(fields.map(({ argument }) => String(argument.type)));
  return around || types.size > 1 ? undefined : from;
}

/**
 * A link from a type to an operation. A document may declare links, which pass values of a response to parameters of another
 * operation (OpenAPI 3.1 §4.8.20). Declared links with values from outside the response are ignored.
 */
export type Link = {
  readonly type: string;
  /** The link's name in the document; for a suggested link, the path segments after the object. */
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly from: string }[];
};

/** The links that the document declares, by the id of the operation that they call. */
function declaredLinks(model: Model): ReadonlyMap<string, readonly Link[]> {
  const found = boundFields(model).flatMap((field) =>
    linkNodes(model, field).flatMap(([name, node]) => {
      const operation = targetOf(model, field.operation.root, membersOf(node.value));
      const link = operation && linkOf(model, field, operation, membersOf(node.value));
      return link ? [{ id: operation.id, link: { ...link, name } }] : [];
    }),
  );
  const groups = Map.groupBy(found, ({ id }) => id);
  return new Map([...groups].map(([id, all]) => [id, all.map(({ link }) => link)]));
}

const linkNodes = ({ document }: Model, { operation }: BoundField): [name: string, node: RestNode][] =>
  operation.successes.flatMap(({ node }) => [...entriesByKey(document, document.child(node, "links"))]);

/**
 * Finds the operation of a declared link. `operationRef` must be a pointer into the same document, such as
 * `#/paths/~1users~1{id}/get`.
 */
function targetOf(
  { operations }: Model,
  { name = "" }: RootNode,
  { operationId, operationRef }: Record<string, unknown>,
) {
  if (typeof operationId === "string")
    return operations.named(name === "" ? operationId : `${name}/${operationId}`);
  const [, path, method] =
    /^#\/paths\/([^/]+)\/(?:additionalOperations\/)?([\w-]+)$/.exec(String(operationRef)) ?? [];
  if (path === undefined || method === undefined) return undefined;
  return operations.named(`${sentMethod(method)} ${name}${unescapePointer(path)}`);
}

function linkOf(
  model: Model,
  field: BoundField,
  operation: RestOperation,
  { parameters, requestBody }: Record<string, unknown>,
): Omit<Link, "name"> | undefined {
  const type = getNullableType(field.definition.type);
  if (!isObjectType(type) || field.connection || requestBody !== undefined) return undefined;
  const given = Object.entries(membersOf(parameters));
  const params = given.flatMap(([written, value]) => {
    // the name of a parameter may include its location, as in `path.id`
    const own = written.replace(/^(?:path|query|header)\./, "");
    const path = pathIn(value, field.result);
    const parameter = operation.parameters.find((each) => each.name === own);
    const isSent = (model.backings.get(type.name) ?? []).every(
      ({ shape }) => path && parameter && fitsIfPresent(shape, path, parameter.shape),
    );
    return isSent && path ? [{ name: own, from: ["parent", ...path].join(".") }] : [];
  });
  const fed = new Set(params.map((each) => each.name));
  const isComplete = operation.parameters.every((each) => !each.required || fed.has(each.name));
  return params.length > 0 && params.length === given.length && isComplete
    ? { type: type.name, params }
    : undefined;
}

/** Converts a runtime expression such as `$response.body#/a/b` to a path in the field's value (§4.8.20.4). */
function pathIn(expression: unknown, result: readonly string[]): string[] | undefined {
  const [, pointer] = /^\$response\.body#\/(.+)$/.exec(String(expression)) ?? [];
  const path = pointer?.split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (!path || path.some((step) => step.includes("."))) return undefined;
  return result.every((step, index) => path[index] === step) ? path.slice(result.length) : undefined;
}
