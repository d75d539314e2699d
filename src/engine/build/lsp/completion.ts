/** Completes the arguments of binding directives, such as operations, parameters and response paths. */
import { isEnumType, Kind } from "graphql";
import { inputSlotsOf } from "../bind/inputs/input-slots.ts";
import { boundFields, type Model } from "../bind/model.ts";
import { methodAndPath, type RestOperation, showableResponses } from "../openapi/operation.ts";
import { responseProperties, type Shape } from "../openapi/shapes/shape.ts";
import { bindingDefinitions } from "../schema/directives.ts";
import { restType } from "./hover.ts";
import type { SchemaPosition } from "./schema-position.ts";

export type Suggestion = {
  readonly label: string;
  readonly detail?: string;
  readonly kind: "operation" | "parameter" | "property" | "key" | "value";
};

/** Maximum depth of the suggested response paths. */
const deepest = 3;

export function suggestionsAt(model: Model, position: SchemaPosition): Suggestion[] {
  const { directive, path, isKey } = position;
  if (directive === undefined) return [];
  if (isKey) return keysOf(directive, path);
  const literals = enumLiterals(path.at(-1) ?? "");
  if (literals.length > 0 && !position.word?.isString) return literals;
  return directive === "restName" ? restNames(model, position) : restValues(model, position);
}

function restValues(model: Model, position: SchemaPosition): Suggestion[] {
  const { operation: name, path } = position;
  const place = path.join(".");
  if (place === "operation")
    return [...model.operations.values()].map((each) => ({
      label: each.id,
      detail: methodAndPath(each),
      kind: "operation",
    }));
  if (place === "params.from") return [...argumentSources(position), ...objectSources(model, position)];
  if (place === "body") return argumentSources(position);
  const operation = name === undefined ? undefined : model.operations.named(name);
  if (!operation) return [];
  if (place === "params.name") return slotNames(model, operation);
  const isPath = place === "result" || /^connection\.(?:items|next|more|total)$/.test(place);
  if (isPath || place === "batchBy") return responsePaths(model, operation, place === "batchBy");
  return [];
}

function restNames(model: Model, { type = "", member = "", argument, path }: SchemaPosition): Suggestion[] {
  if (path.join(".") !== "name") return [];
  const definition = model.schema.getType(type);
  if (isEnumType(definition)) {
    const uses = model.values.filter((use) => String(use.type).replace(/[[\]!]/g, "") === type);
    return named(uses.flatMap(({ shape }) => shape.values ?? []).map(String), "value");
  }
  const field = model.fields.get(`${type}.${member}`);
  if (argument !== undefined) return field?.kind === "bound" ? slotNames(model, field.operation) : [];
  const backings = model.backings.get(type) ?? [];
  if (backings.length > 0) return backings.flatMap(({ shape }) => pathsIn(model, shape, "", deepest));
  const callers = boundFields(model).filter(({ definition: { args } }) =>
    args.some((each) => String(each.type).replace(/[[\]!]/g, "") === type),
  );
  return callers.flatMap(({ operation }) => slotNames(model, operation));
}

const slotNames = (model: Model, operation: RestOperation): Suggestion[] =>
  inputSlotsOf(operation).map((slot) => ({
    label: slot.name,
    detail: `${slot.in}: ${restType(model, slot.shape)}${slot.required ? ", required" : ""}`,
    kind: "parameter",
  }));

/** Suggests the arguments that the text declares for the field, because the model may not contain the field yet. */
const argumentSources = ({ declared }: SchemaPosition): Suggestion[] =>
  named(
    declared.map((name) => `args.${name}`),
    "parameter",
  );

/** Suggests `parent.id`, and `Account.id` after `Account` is typed. */
function objectSources(model: Model, { type = "", word }: SchemaPosition): Suggestion[] {
  const [typed = ""] = word?.text.split(".") ?? [];
  const roots = [["parent", type] as const, ...(typed === type ? [] : [[typed, typed] as const])];
  return roots.flatMap(([root, name]) =>
    (model.backings.get(name) ?? []).flatMap(({ shape }) => pathsIn(model, shape, `${root}.`, 2)),
  );
}

/** Suggests paths in the operation's response. With `ofItems`, suggests paths in the items of the response's lists instead. */
function responsePaths(model: Model, operation: RestOperation, ofItems: boolean): Suggestion[] {
  return showableResponses(operation).flatMap(({ shape }) => {
    if (!ofItems) return pathsIn(model, shape.items ?? shape, "", deepest);
    const lists = [shape, ...responseProperties(shape).map((each) => each.shape)];
    return lists.flatMap(({ items }) => (items ? pathsIn(model, items, "", 1) : []));
  });
}

function pathsIn(model: Model, shape: Shape, start: string, depth: number): Suggestion[] {
  if (depth === 0) return [];
  return responseProperties(shape).flatMap((property) => [
    { label: start + property.name, detail: restType(model, property.shape), kind: "property" as const },
    ...pathsIn(model, property.shape, `${start}${property.name}.`, depth - 1),
  ]);
}

/** Suggests the arguments of a directive, or the fields of the input objects in its argument `params` or `connection`. */
function keysOf(directive: string, [key]: readonly string[]): Suggestion[] {
  const holder = key === "params" ? "RestParam" : key === "connection" ? "RestConnection" : directive;
  for (const node of bindingDefinitions.definitions) {
    if (node.kind !== Kind.DIRECTIVE_DEFINITION && node.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION) continue;
    const members = node.kind === Kind.DIRECTIVE_DEFINITION ? node.arguments : node.fields;
    if (node.name.value === holder)
      return named(
        (members ?? []).map(({ name }) => name.value),
        "key",
      );
  }
  return [];
}

/** Suggests the enum values of `in` and `pages`. */
function enumLiterals(key: string): Suggestion[] {
  const name = key === "in" ? "RestIn" : key === "pages" ? "RestPages" : undefined;
  const found = bindingDefinitions.definitions.find(
    (node) => node.kind === Kind.ENUM_TYPE_DEFINITION && node.name.value === name,
  );
  return found?.kind === Kind.ENUM_TYPE_DEFINITION
    ? named(
        (found.values ?? []).map((value) => value.name.value),
        "value",
      )
    : [];
}

const named = (labels: readonly string[], kind: Suggestion["kind"]): Suggestion[] =>
  [...new Set(labels)].map((label) => ({ label, kind }));
