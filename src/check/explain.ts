/** `npm run explain`: the REST calls behind a field or a saved operation, each parameter with its source, and their number. */
import { getNamedType } from "graphql";
import { ConfigError } from "../config.ts";
import { callCost, planOf } from "../spec/call-cost.ts";
import { didYouMean } from "../spec/findings.ts";
import type { BoundField, Input, InputSource, Model, PlainField } from "../spec/model.ts";
import { methodAndPath } from "../spec/operations.ts";
import type { SavedOperation } from "../spec/saved-operations.ts";

/** Throws `ConfigError` for a name that is neither a field's coordinate nor a saved operation's name. */
export function explain(model: Model, saved: readonly SavedOperation[], name: string): string[] {
  const operation = saved.find((each) => each.name === name);
  if (operation) return explainOperation(model, operation);
  const field = model.fields.get(name);
  if (field) return field.kind === "bound" ? explainField(field) : explainPlain(model, field);
  const names = [...model.fields.keys(), ...saved.map((each) => each.name)];
  const what = "there is no such field or saved operation";
  throw new ConfigError([`explain ${name}: ${what}${didYouMean(name, names)}`]);
}

function explainOperation(model: Model, operation: SavedOperation): string[] {
  const { typical, worst } = callCost(model, operation);
  const calls = planOf(model, operation).flatMap(({ path, field, parents, calls: count }) => [
    "",
    `${path}  (${field.coordinate})`,
    ...callLines(field),
    `  ${plural(count.typical)}, at worst ${count.worst}${count.worst > 1 || parents.worst > 1 ? `, for ${parents.typical} parents, at worst ${parents.worst}` : ""}`,
  ]);
  return [
    `${operation.definition.operation} ${operation.name} (spec/${operation.file}:${operation.place.line})`,
    `${plural(typical)}, at worst ${worst}`,
    ...calls,
  ];
}

const explainField = (field: BoundField): string[] => [
  field.coordinate,
  ...callLines(field),
  `  ${countLine(field)}`,
];

function explainPlain(model: Model, { coordinate, property, type }: PlainField): string[] {
  const source =
    property === undefined
      ? "its parent's own REST object"
      : `property "${property}" of its parent's REST object`;
  const readers = [...model.fields.values()].flatMap((field) => {
    const definition = model.schema.getType(field.type);
    const own = definition && "getFields" in definition ? definition.getFields()[field.field] : undefined;
    return own && "args" in own && getNamedType(own.type).name === type ? [field.coordinate] : [];
  });
  return [
    coordinate,
    `  ${source}; no REST call`,
    `  ${type} is read by ${readers.join(", ") || "an abstract type's member"}`,
  ];
}

function callLines({ operation, inputs, wholeBody, result, batch, nullOn404, needs }: BoundField): string[] {
  return [
    `  ${methodAndPath(operation)}  (${operation.id}${operation.product ? `, ${operation.product}` : ""})`,
    ...inputs.map((input) => `  ${input.in} ${input.name}: ${inputSource(input, batch?.key === input)}`),
    ...(wholeBody ? [`  body: ${sourceOf(wholeBody)}`] : []),
    ...(result.length > 0 ? [`  result: ${result.join(".")}`] : []),
    ...(batch ? [`  batched by ${batch.match}: up to ${batch.size} keys a call, ${modes[batch.mode]}`] : []),
    ...(nullOn404 ? ["  a 404 is null"] : []),
    ...(needs.length > 0 ? [`  no call, and null, where ${needs.map(sourceOf).join(" or ")} is null`] : []),
  ];
}

const modes = {
  one: "one object a key",
  many: "a list a key",
  each: "an object for each of the parent's keys",
};

const inputSource = (input: Input, isKey: boolean): string =>
  sourceOf(input.source) +
  (input.argumentDefault === undefined ? "" : ` (default ${JSON.stringify(input.argumentDefault)})`) +
  (isKey ? ", of all parents" : "") +
  (input.required ? ", required" : "");

/** As the schema's `from` says it, or the constant. */
export const sourceOf = (source: InputSource): string =>
  source.kind === "constant"
    ? `constant ${JSON.stringify(source.value)}`
    : `${source.kind === "argument" ? "args" : "parent"}.${source.path.join(".")}`;

function countLine({ batch, inputs }: BoundField): string {
  if (batch) return `1 REST call for up to ${batch.size} keys`;
  return inputs.some(({ source }) => source.kind === "parent")
    ? "1 REST call for each parent"
    : "1 REST call";
}

const plural = (count: number): string => `${count} REST call${count === 1 ? "" : "s"}`;
