/** Checks each fed input against its parameter: type, default value and nullability. */
import { type GraphQLArgument, type GraphQLInputType, getNamedType, isEnumType } from "graphql";
import { type Shape, textFits, typesFit, typeText } from "../../openapi/shapes/shape.ts";
import { atArgument, type FieldInProgress } from "../field-context.ts";
import type { Input } from "../model.ts";
import { isIntegerText } from "../type-rules.ts";
import { checkConstant, checkDefault } from "./check-constants.ts";
import { isNeeded } from "./check-required.ts";
import { isOfObject, sourceOf } from "./input-source.ts";
import { matchInput, refuseReadOnly } from "./match-input.ts";

/** The default value as REST receives it: an ID whose text is an integer is sent as that integer. */
export const sentDefault = (type: GraphQLInputType, shape: Shape, value: unknown): unknown =>
  isIntegerText(getNamedType(type), shape) && typeof value === "string" ? Number(value) : value;

/** Skips the keys of a batch, which `bindBatch` checks. */
export function checkInputTypes(field: FieldInProgress, inputs: readonly Input[]): void {
  const isBatched = field.directive.batchBy !== undefined;
  for (const input of inputs) {
    if (input.in === "item") continue;
    if (isOfObject(input.source)) addOwnValue(field, input);
    const isKey = isBatched && input.source.kind === "parent" && input.shape.types.has("array");
    const isBeside = input.in === "body" && inputs.some((other) => other !== input && other.in === "body");
    if (!isKey) checkInput(field, input, isNeeded(field, input, isBeside));
  }
}

/** A value of a REST object, which REST takes again. */
function addOwnValue({ binder, where: { coordinate } }: FieldInProgress, { node, shape }: Input): void {
  binder.addValue({ coordinate, direction: "request", node, shape });
  if (shape.items)
    binder.addValue({ coordinate, direction: "request", node: shape.items.node, shape: shape.items });
}

/** `isNeeded`: REST refuses a call without the input. */
function checkInput(field: FieldInProgress, input: Input, isNeeded: boolean): void {
  const { binder } = field;
  const { source } = input;
  const argument = source.kind === "argument" ? field.argumentsByName.get(source.path[0] ?? "") : undefined;
  const own = argument ? atArgument(field.where, argument) : field.where;
  const where = { ...own, rest: input.node };
  if (input.only === "response") return refuseReadOnly(binder, where, input.name);
  if (source.kind === "constant") return checkConstant(binder, where, input, source.value);
  if (source.kind === "argumentAbove")
    return matchInput(binder, { ...where, subject: sourceOf(source) }, source.type, input.shape);
  if (source.kind === "argument") {
    if (!isNumberInCursor(field, argument, input)) matchInput(binder, where, source.type, input.shape);
    if (argument && input.argumentDefault !== undefined && !isEnumType(getNamedType(argument.type)))
      checkDefault(binder, where, input, sentDefault(argument.type, input.shape, input.argumentDefault));
    if (source.nullable && isNeeded) {
      binder.findings.add(
        "input-nullable",
        where,
        `argument "${source.path.join(".")}" may be null, but ${field.operation.id} requires ${input.in} "${input.name}"`,
        "make the argument non-null, or give it a default",
      );
    }
  }
  if (isOfObject(source) && !ownValueFits(source, input)) {
    binder.findings.add(
      "input-type",
      { ...where, also: [source.shape.node] },
      `${sourceOf(source)} is ${typeText(source.shape)}, but ${input.in} "${input.name}" takes ${typeText(input.shape)}`,
      isKeyOfMany(input)
        ? "add batchBy, with the property of the items that holds this key: one call is for many parents then"
        : "feed it from a property of the same type",
    );
  }
}

const ownValueFits = ({ shape }: { readonly shape: Shape }, input: Input): boolean =>
  (input.in === "body" ? typesFit : textFits)(shape, input.shape);

/** Whether a parameter that takes a list gets one key of the parent: `batchBy` makes a list of the keys of many parents. */
export const isKeyOfMany = (input: Input): boolean =>
  input.source.kind === "parent" && input.shape.types.has("array") && !ownValueFits(input.source, input);

/** `after` is a cursor that this layer makes. The REST value in it may be the number of a page, or a number as cursor. */
function isNumberInCursor(
  { directive }: FieldInProgress,
  argument: GraphQLArgument | undefined,
  { shape }: Input,
): boolean {
  const { next, pages } = directive.connection ?? {};
  const isNumber = shape.types.has("integer") || shape.types.has("number");
  return argument?.name === "after" && (pages !== undefined || (next !== undefined && isNumber));
}
