/** Checks the type, the default value and the nullability of each source against its parameter. */
import { type GraphQLArgument, type GraphQLInputType, getNamedType } from "graphql";
import { inputKey } from "../../openapi/operation.ts";
import { type Shape, textFits, typesFit, typeText } from "../../openapi/shapes/shape.ts";
import { atArgument, type FieldContext } from "../field-context.ts";
import type { Input } from "../model.ts";
import { isIntegerText } from "../scalar-rules.ts";
import { checkConditions, sentBody, sentInput, sentValue } from "./check-conditions.ts";
import { checkConstant, checkDefault, type StyledSlot } from "./check-constants.ts";
import { isRequiredWhenSent } from "./check-required.ts";
import { formatSource, readsObject } from "./input-source.ts";
import { matchInput, rejectReadOnly } from "./match-input.ts";

/** Converts a default value for REST: an `ID` becomes a number if its REST type is `integer`. */
export const serializedDefault = (type: GraphQLInputType, shape: Shape, value: unknown): unknown =>
  isIntegerText(getNamedType(type), shape) && typeof value === "string" ? Number(value) : value;

/** Skips the keys of a batch, because `bindBatch` checks them. */
export function checkInputTypes(field: FieldContext, inputs: readonly Input[]): void {
  const isBatched = field.directive.batchBy !== undefined;
  for (const input of inputs) {
    if (input.in === "item") continue;
    if (readsObject(input.source)) addOwnValue(field, input);
    const isKey = isBatched && input.source.kind === "parent" && input.shape.types.has("array");
    const isBeside = input.in === "body" && inputs.some((other) => other !== input && other.in === "body");
    if (!isKey) checkInput(field, input, isRequiredWhenSent(field, input, isBeside));
  }
  const { body } = field.operation;
  const inBody = inputs.filter((input) => input.in === "body");
  if (body && inBody.length > 0)
    checkConditions(
      field.binder,
      { ...field.where, rest: body.shape.node },
      body.shape,
      sentBody(field.binder.pairs, inBody),
    );
}

/** Records for `check --base` that a call sends a value from another REST response. */
function addOwnValue({ binder, where: { coordinate } }: FieldContext, { node, shape }: Input): void {
  binder.addValue({ coordinate, direction: "request", node, shape });
  if (shape.items)
    binder.addValue({ coordinate, direction: "request", node: shape.items.node, shape: shape.items });
}

/** `isNeeded`: whether REST rejects a call without the input. */
function checkInput(field: FieldContext, input: Input, isNeeded: boolean): void {
  const { binder } = field;
  const { source } = input;
  const argument = source.kind === "argument" ? field.argumentsByName.get(source.path[0] ?? "") : undefined;
  const own = argument ? atArgument(field.where, argument) : field.where;
  const where = { ...own, rest: input.node };
  if (input.only === "response") return rejectReadOnly(binder, where, input.name);
  if (source.kind === "constant") {
    const at = source.fixedAt ? { ...where, rest: source.fixedAt } : where;
    checkConditions(binder, at, input.shape, sentValue(source.value));
    return checkConstant(binder, at, withStyle(field, input), source.value);
  }
  if (source.kind === "argumentAbove")
    return matchInput(binder, {
      where: { ...where, subject: formatSource(source) },
      type: source.type,
      shape: input.shape,
    });
  if (source.kind === "argument") {
    if (!isNumberInCursor(field, argument, input))
      matchInput(binder, { where, type: source.type, shape: input.shape });
    if (argument && input.argumentDefault !== undefined) {
      const { type } = argument;
      const value = serializedDefault(type, input.shape, input.argumentDefault);
      checkDefault(binder, where, withStyle(field, input), { type, value });
    }
    if (source.nullable && isNeeded) {
      binder.findings.add(
        "input-nullable",
        where,
        `argument "${source.path.join(".")}" may be null, but ${field.operation.id} requires ${input.in} "${input.name}"`,
        "make the argument non-null, or give it a default",
      );
    }
  }
  if (readsObject(source)) checkConditions(binder, where, input.shape, sentInput(binder.pairs, input));
  if (readsObject(source) && !ownValueFits(source, input)) {
    binder.findings.add(
      "input-type",
      { ...where, also: [source.shape.node] },
      `${formatSource(source)} is ${typeText(source.shape)}, but ${input.in} "${input.name}" takes ${typeText(input.shape)}`,
      isBatchKey(input)
        ? "add batchBy, with the property of the items that holds this key: one call is for many parents then"
        : "feed it from a property of the same type",
    );
  }
}

const withStyle = ({ operation: { parameters, body } }: FieldContext, input: Input): StyledSlot => ({
  ...input,
  style:
    input.in === "body"
      ? body?.formStyles?.get(input.name)?.style
      : parameters.find((each) => inputKey(each) === inputKey(input))?.style,
});

const ownValueFits = ({ shape }: { readonly shape: Shape }, input: Input): boolean =>
  (input.in === "body" ? typesFit : textFits)(shape, input.shape);

/** Whether a single value of the parent feeds a list parameter, which is valid only with `batchBy`. */
export const isBatchKey = (input: Input): boolean =>
  input.source.kind === "parent" && input.shape.types.has("array") && !ownValueFits(input.source, input);

/** Whether the source is a connection's `after`, which is a string even if it encodes a page number or a numeric cursor. */
function isNumberInCursor(
  { directive }: FieldContext,
  argument: GraphQLArgument | undefined,
  { shape }: Input,
): boolean {
  const { next, pages } = directive.connection ?? {};
  const isNumber = shape.types.has("integer") || shape.types.has("number");
  return argument?.name === "after" && (pages !== undefined || (next !== undefined && isNumber));
}
