/**
 * Finds the type below which an operation belongs: `/libraries/{library_id}/books/{id}/pages` belongs below the type that
 * `/libraries/{library_id}/books/{id}` returns. Each parameter has the source that it has in the calls that fetch objects
 * of the type. Paths and names suggest the link; the binder proves it.
 */
import { getNamedType, isObjectType } from "graphql";
import { argumentsAbove, pathAround } from "../bind/enclosing.ts";
import { sourceOf } from "../bind/inputs/input-source.ts";
import { type BoundField, boundFields, type Model, type ModelField } from "../bind/model.ts";
import { isSafe, type Parameter, type RestOperation } from "../openapi/operation.ts";
import { declaredProperty, typesFit } from "../openapi/shapes/shape.ts";
import { words } from "../schema/graphql-names.ts";

export type Link = {
  readonly type: string;
  /** The rest of the path, behind the object. */
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly from: string }[];
};

const isParameter = (step = ""): boolean => /^\{.*\}$/.test(step);
const stepsOf = ({ path }: RestOperation): string[] => path.split("/").slice(1);

export function linkOf(model: Model, operation: RestOperation): Link | undefined {
  const steps = stepsOf(operation);
  const last = steps.findLastIndex(isParameter);
  const below = steps.slice(last + 1);
  if (!isSafe(operation.method) || last < 1 || below.length === 0) return undefined;
  const above = steps.slice(0, last + 1);
  const fields = indexOf(model).byPath.get(pathKey(above)) ?? [];
  for (const type of new Set(fields.flatMap((field) => typeOf(model, field)))) {
    const bringing = bringersOf(model, type, above);
    const froms =
      bringing &&
      above.flatMap((step, index) => {
        if (!isParameter(step)) return [];
        const name = step.slice(1, -1);
        const parameter = operation.parameters.find((each) => each.in === "path" && each.name === name);
        const own = index === last && parameter ? ownKey(model, type, parameter) : undefined;
        return [
          { name, from: own ?? inherited(model, type, bringing, index, index === last ? above.length : 0) },
        ];
      });
    if (froms?.every((each): each is Link["params"][number] => each.from !== undefined))
      return { type, name: below.join(" "), params: froms };
  }
  return undefined;
}

/** The path, whatever the names of its parameters are. */
const pathKey = (steps: readonly string[]): string =>
  steps.map((step) => (isParameter(step) ? "{}" : step)).join("/");

/** The bound fields that read, by their path; all fields, by the object type that they return. */
type Index = {
  readonly byPath: ReadonlyMap<string, readonly BoundField[]>;
  readonly byType: ReadonlyMap<string, readonly ModelField[]>;
};

/** A model may have thousands of fields, and is asked for thousands of operations. */
const indexes = new WeakMap<Model, Index>();

function indexOf(model: Model): Index {
  const known = indexes.get(model);
  if (known) return known;
  const reading = boundFields(model).filter(({ operation }) => operation.method === "get");
  const made = {
    byPath: Map.groupBy(reading, ({ operation }) => pathKey(stepsOf(operation))),
    byType: Map.groupBy(model.fields.values(), (field) => typeOf(model, field)[0] ?? ""),
  };
  indexes.set(model, made);
  return made;
}

/** Whether the operation reads at this path. */
const isAt = (operation: RestOperation, steps: readonly string[]): boolean =>
  operation.method === "get" && pathKey(stepsOf(operation)) === pathKey(steps);

function typeOf(
  { schema }: Model,
  { type, field }: { readonly type: string; readonly field: string },
): string[] {
  const owner = schema.getType(type);
  const definition = isObjectType(owner) ? owner.getFields()[field] : undefined;
  const named = definition && getNamedType(definition.type);
  return isObjectType(named) ? [named.name] : [];
}

/**
 * The fields whose calls fetch objects of the type: as the object at the path, or as items of the list at the path before.
 * `undefined`: other objects hold such objects too, and those may belong elsewhere.
 */
function bringersOf(
  model: Model,
  type: string,
  above: readonly string[],
  within: readonly string[] = [],
): BoundField[] | undefined {
  const found: BoundField[] = [];
  for (const field of indexOf(model).byType.get(type) ?? []) {
    const isPage = ["node", "nodes", "edges"].includes(field.field) && !within.includes(field.type);
    const fields =
      field.kind === "bound"
        ? [field]
        : isPage
          ? bringersOf(model, field.type, above, [...within, type])
          : undefined;
    if (!fields?.every(({ operation }) => isAt(operation, above) || isAt(operation, above.slice(0, -1))))
      return undefined;
    found.push(...fields);
  }
  return found;
}

/** `parent.id` for `book_id`: every REST object of the type has a property with this name, or with the end of this name. */
function ownKey(model: Model, type: string, { name, shape }: Parameter): string | undefined {
  const ends = words(name).map((_, index, all) => all.slice(index).join("_").toLowerCase());
  const objects = model.backings.get(type) ?? [];
  const key = [name, ...ends].find((each) =>
    objects.every((object) => {
      const found = declaredProperty(object.shape, each);
      return (
        found?.required && !found.shape.nullable && found.only === undefined && typesFit(found.shape, shape)
      );
    }),
  );
  return key === undefined ? undefined : `parent.${key}`;
}

/** The source that all of the calls have at this step of their paths, as a link below writes it. */
function inherited(
  { schema }: Model,
  type: string,
  bringing: readonly BoundField[],
  index: number,
  least: number,
): string | undefined {
  const found = new Set(
    bringing.map(({ operation, inputs, type: owner }) => {
      const steps = stepsOf(operation);
      const source = inputs.find(({ name, in: at }) => at === "path" && `{${name}}` === steps[index])?.source;
      if (!source || source.kind === "constant" || steps.length < least) return undefined;
      if (source.kind === "parent") return [owner, ...source.path].join(".");
      if (source.kind === "argument")
        return source.path.length === 1 ? `argsAbove.${source.path[0]}` : undefined;
      return sourceOf(source);
    }),
  );
  const [from] = found;
  if (found.size !== 1 || from === undefined) return undefined;
  const [root = "", step = ""] = from.split(".");
  if (root !== "argsAbove") return root === type || pathAround(schema, type, root) ? undefined : from;
  const { fields, around } = argumentsAbove(schema, type, step);
  const types = fields.flatMap(({ field }) =>
    field.args.filter(({ name }) => name === step).map((each) => String(each.type)),
  );
  return around || new Set(types).size > 1 ? undefined : from;
}
