/** A bound field's one expression: the REST call with its inputs, inside `level` and a batch where it is batched. */
import { getNamedType, getNullableType, isInputObjectType } from "graphql";
import type { ArgumentSource, Batch, BoundField, Input, Model } from "../spec/model.ts";
import type { Shape } from "../spec/shape.ts";
import { type InputFunctions, inputExpression } from "./emit-inputs.ts";
import { access, object } from "./names.ts";

const keysName = "keys";

export function boundResolver(model: Model, functions: InputFunctions, field: BoundField): string {
  const call = restCall(model, functions, field);
  if (field.batch) return levelResolver(field, field.batch, call);
  const missing = field.needs.map(({ path }) => `${access("parent", path, true)} == null`).join(" || ");
  return `${parameters(field, "parent")} => ${missing ? `${missing} ? null : ${call}` : call}`;
}

function levelResolver(field: BoundField, { key, match, size, mode }: Batch, call: string): string {
  const name = { one: "batchOne", many: "batchMany", each: "batchEach" }[mode];
  const keys = `parents.map((parent) => ${access("parent", key.source.path, key.source.nullable)})`;
  const fetch = `(${keysName}) => ${call}`;
  return `level(${parameters(field, "parents")} => ${name}(${keys}, ${size}, ${JSON.stringify(match)}, ${fetch}))`;
}

/** `(parent, args, { rest })`, an underscore before each that the expression does not use. */
function parameters(field: BoundField, parent: "parent" | "parents"): string {
  const sources = [
    ...field.inputs.map(({ source }) => source),
    ...(field.wholeBody ? [field.wholeBody] : []),
  ];
  const usesParent = parent === "parents" || sources.some(({ kind }) => kind === "parent");
  const usesArguments = sources.some(({ kind }) => kind === "argument");
  return `(${usesParent ? parent : `_${parent}`}, ${usesArguments ? "args" : "_args"}, { rest })`;
}

function restCall(model: Model, functions: InputFunctions, field: BoundField): string {
  const { wholeBody, operation } = field;
  const method = operation.method === "get" && field.nullOn404 ? "find" : operation.method;
  const groups = (["path", "query", "header", "body"] as const).flatMap((location) => {
    if (location === "body" && wholeBody && operation.body)
      return [["body", argumentExpression(model, functions, wholeBody, operation.body.shape, true)] as const];
    const inputs = field.inputs.filter((input) => input.in === location);
    const entries = inputs.map((input) => [input.name, inputValue(model, functions, field, input)] as const);
    return entries.length > 0 ? [[location, object(entries)] as const] : [];
  });
  const init = groups.length > 0 ? [object(groups)] : field.result.length > 0 ? ["{}"] : [];
  const result = field.result.map((step) => JSON.stringify(step));
  return `rest.${method}(${[JSON.stringify(operation.path), ...init, ...result].join(", ")})`;
}

function inputValue(model: Model, functions: InputFunctions, field: BoundField, input: Input): string {
  if (input === field.batch?.key) return keysName;
  const { source } = input;
  if (source.kind === "constant") return JSON.stringify(source.value);
  if (source.kind === "argument")
    return argumentExpression(model, functions, source, input.shape, input.in === "body");
  const value = access("parent", source.path, source.nullable);
  return input.in === "body" && source.nullable && !input.takesNull && !field.needs.includes(source)
    ? `${value} ?? undefined`
    : value;
}

function argumentExpression(
  model: Model,
  functions: InputFunctions,
  source: ArgumentSource,
  shape: Shape,
  inBody: boolean,
): string {
  const value = access("args", source.path, source.nullable);
  const hasObjects = isInputObjectType(getNamedType(source.type));
  if (!hasObjects && !(inBody && source.nullable)) return value;
  const type = source.nullable ? getNullableType(source.type) : source.type;
  return inputExpression(model, functions, type, shape, value);
}
