/** A bound field's one expression: the REST call with its inputs, inside `level` and a batch where it is batched. */
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isObjectType,
} from "graphql";
import type { BoundField, Input, InputSource, Model } from "../spec/model.ts";
import type { Shape } from "../spec/shape.ts";
import { type InputFunctions, inputExpression } from "./emit-inputs.ts";
import { access, object } from "./names.ts";

const keysName = "keys";

export function boundResolver(model: Model, functions: InputFunctions, field: BoundField): string {
  const call = restCall(model, functions, field);
  if (field.batch) return levelResolver(field, call);
  const guarded = field.needs ? `${access("parent", field.needs, true)} == null ? null : ${call}` : call;
  return `${parameters(field, "parent")} => ${guarded}`;
}

function levelResolver(field: BoundField, call: string): string {
  const { batch } = field;
  if (batch?.key.source.kind !== "parent") return call;
  const name = { one: "batchOne", many: "batchMany", each: "batchEach" }[batch.mode];
  const keys = `parents.map((parent) => ${access("parent", batch.key.source.path, batch.key.source.nullable)})`;
  const fetch = `(${keysName}) => ${call}`;
  return `level(${parameters(field, "parents")} => ${name}(${keys}, ${batch.size}, ${JSON.stringify(batch.match)}, ${fetch}))`;
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
  const method = field.operation.method === "get" && field.nullOn404 ? "find" : field.operation.method;
  const groups = (["path", "query", "header", "body"] as const).flatMap((location) => {
    if (location === "body" && field.wholeBody)
      return [["body", wholeBody(model, functions, field)] as const];
    const inputs = field.inputs.filter((input) => input.in === location);
    const entries = inputs.map((input) => [input.name, inputValue(model, functions, field, input)] as const);
    return entries.length > 0 ? [[location, object(entries)] as const] : [];
  });
  const init = groups.length > 0 ? [object(groups)] : field.result.length > 0 ? ["{}"] : [];
  const result = field.result.map((step) => JSON.stringify(step));
  return `rest.${method}(${[JSON.stringify(field.operation.path), ...init, ...result].join(", ")})`;
}

function wholeBody(model: Model, functions: InputFunctions, field: BoundField): string {
  const { wholeBody: source } = field;
  if (source?.kind !== "argument" || !field.operation.body) return "undefined";
  return argumentExpression(model, functions, field, source, field.operation.body.shape, true);
}

function inputValue(model: Model, functions: InputFunctions, field: BoundField, input: Input): string {
  if (input === field.batch?.key) return keysName;
  const { source } = input;
  if (source.kind === "constant") return JSON.stringify(source.value);
  if (source.kind === "argument")
    return argumentExpression(model, functions, field, source, input.shape, input.in === "body");
  const value = access("parent", source.path, source.nullable);
  return input.in === "body" && source.nullable && !input.takesNull && !field.needs
    ? `${value} ?? undefined`
    : value;
}

function argumentExpression(
  model: Model,
  functions: InputFunctions,
  field: BoundField,
  source: InputSource & { kind: "argument" },
  shape: Shape,
  inBody: boolean,
): string {
  const value = access("args", source.path, source.nullable);
  const type = argumentType(model, field, source.path);
  return type && (hasObjects(type) || (inBody && source.nullable))
    ? inputExpression(model, functions, type, shape, value)
    : value;
}

const hasObjects = (type: GraphQLInputType): boolean => isInputObjectType(getNamedType(type));

function argumentType(
  model: Model,
  field: BoundField,
  [first, ...path]: readonly string[],
): GraphQLInputType | undefined {
  const parent = model.schema.getType(field.type);
  const definition = isObjectType(parent) ? parent.getFields()[field.field] : undefined;
  let type = definition?.args.find(({ name }) => name === first)?.type;
  for (const step of path) {
    const nullable = type && getNullableType(type);
    type = isInputObjectType(nullable) ? nullable.getFields()[step]?.type : undefined;
  }
  return type;
}
