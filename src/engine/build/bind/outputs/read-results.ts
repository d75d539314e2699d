/** Finds the value of a bound field in the responses of its REST operation, and compares it with the field's type. */
import { getNullableType, isListType, isNonNullType, isObjectType } from "graphql";
import {
  hasNoContent,
  isSuccess,
  type RestOperation,
  showableResponses,
  unshowableReason,
} from "../../openapi/operation.ts";
import { declaredProperty, describeShape } from "../../openapi/shapes/shape.ts";
import type { FieldContext } from "../field-context.ts";
import type { FindingTarget } from "../findings.ts";
import type { BoundField } from "../model.ts";
import { bindEntries } from "./bind-entries.ts";
import { matchOutput } from "./match-output.ts";
import { followPath, type ResponseValue } from "./response-value.ts";
import { bodyType, itemType } from "./type-expression.ts";

/** Returns the field's value in each 2xx response with a body. */
export function readResults(field: FieldContext): ResponseValue[] {
  const { binder, directive, operation } = field;
  const isOptional = operation.successes.some(({ shape }) => !shape);
  const responses = showableResponses(operation);
  if (responses.length === 0) checkNoContent(field);
  return responses.flatMap(({ shape, media, status }) => {
    const typeExpression = binder.typeExpressionOf(shape, bodyType(operation, status, media));
    const isOneOfSeveral = responses.length > 1;
    const body = { shape, optional: isOptional, typeExpression, ...(isOneOfSeveral && { status }) };
    const { result } = directive;
    const value = result === undefined ? body : followPath(field, body, result, "result");
    return (value && bindEntries(binder, field.where, field.definition, value)) ?? [];
  });
}

/** Reports a response without content, unless the field is nullable and has neither `result` nor `batchBy`. */
function checkNoContent(field: FieldContext): void {
  const { binder, directive, operation, where } = field;
  const at = { ...where, ...successLocation(operation), also: [operation.node] };
  const why = `${operation.id} responds without content, which is null`;
  if (!hasNoContent(operation) || directive.result !== undefined || directive.batchBy !== undefined) {
    binder.findings.add(
      "operation-no-json",
      at,
      `${operation.id} ${unshowableReason(operation)}`,
      "document its 2xx response as application/json",
    );
  } else addNull(field, at, why);
}

/** Locates the first 2xx response, or its media type. */
function successLocation({ node, responses }: RestOperation): Pick<FindingTarget, "rest" | "below"> {
  const successes = responses.filter(isSuccess);
  const [success] = [...successes.filter(({ content }) => content.length > 0), ...successes];
  if (success?.node)
    return { rest: success.node, below: success.content.slice(0, 1).flatMap((media) => ["content", media]) };
  const [first] = success ? [success] : responses;
  return { rest: node, below: ["responses", ...(first ? [first.status] : [])] };
}

function addNull(field: FieldContext, at: FindingTarget, why: string): void {
  field.binder.addNull(at);
  refuseNonNull(field, at, why);
}

function refuseNonNull({ binder, definition }: FieldContext, at: FindingTarget, why: string): void {
  const { coordinate } = at;
  if (isNonNullType(definition.type))
    binder.findings.add(
      "output-nullable",
      at,
      `${coordinate} is ${definition.type}, but ${why}`,
      "drop the `!`",
    );
}

type Call = {
  readonly batch: BoundField["batch"];
  /** Whether one call should load the field for many parents, even if the batch is invalid. */
  readonly isForMany: boolean;
  /** Whether the parent may lack a value that the call needs. */
  readonly mayLackKey: boolean;
};

export function matchResult(
  field: FieldContext,
  value: ResponseValue,
  { batch, isForMany, mayLackKey }: Call,
): void {
  const { binder, definition, where, operation } = field;
  const at = { ...where, rest: operation.node };
  if (mayLackKey) {
    binder.addNullWithoutCall(at);
    refuseNonNull(field, at, "its parent may have no key for it");
  }
  const items = value.shape.items;
  const isList = isListType(getNullableType(definition.type));
  if (!items && isList && addForgottenResult(field, value)) return;
  if (items && addForgottenConnection(field, value)) return;
  const item = items && {
    shape: items,
    optional: false,
    typeExpression: binder.typeExpressionOf(items, itemType(value.typeExpression)),
  };
  if (!batch) {
    // an invalid batch has already been reported; comparing the type with the whole list would add a misleading finding
    const isOne = isForMany && !isList;
    return matchOutput(binder, at, definition.type, (isOne && item) || value);
  }
  if (batch.mode === "one" || batch.key.source.nullable)
    addNull(field, at, "it is null if REST returns no item for the key");
  const bare = getNullableType(definition.type);
  if (!item) return matchOutput(binder, at, definition.type, value);
  if (batch.mode === "one") return matchOutput(binder, at, bare, item);
  if (!isListType(bare)) return undefined;
  if (batch.mode === "each") binder.addNull(at, 1);
  if (batch.mode === "each" && isNonNullType(bare.ofType)) {
    binder.findings.add(
      "output-nullable",
      at,
      `an item of ${where.coordinate} is ${bare.ofType}, but it is null if REST returns no item for its key`,
      "drop the inner `!`",
    );
  }
  return matchOutput(binder, { ...at, rest: item.shape.node }, bare.ofType, { ...item, level: 1 });
}

/** Reports a field that has a connection type for a REST list, but no `connection` in its `@rest`. */
function addForgottenConnection(
  { binder, definition, where, directive: { result, batchBy } }: FieldContext,
  { shape }: ResponseValue,
): boolean {
  const type = getNullableType(definition.type);
  if (batchBy !== undefined || !isObjectType(type) || !type.getFields().pageInfo) return false;
  binder.findings.add(
    "output-list",
    { ...where, rest: shape.node },
    `${where.coordinate} is ${definition.type}, but REST sends ${describeShape(shape)}`,
    result === undefined
      ? 'write `connection: { next: "…" }` in @rest, or give the field a list type if REST has no pages'
      : `write \`connection: { items: "${result}", next: "…" }\` in place of \`result\``,
  );
  return true;
}

/** Reports a list field whose response is an object with lists, because `result` is probably missing. */
function addForgottenResult(
  { binder, definition, where, directive }: FieldContext,
  { shape }: ResponseValue,
): boolean {
  const lists = [...shape.properties].filter(([name]) =>
    declaredProperty(shape, name)?.shape.types.has("array"),
  );
  if (lists.length === 0) return false;
  const results = lists.map(([name]) => `\`result: "${[directive.result ?? [], name].flat().join(".")}"\``);
  binder.findings.add(
    "output-list",
    { ...where, rest: shape.node },
    `${where.coordinate} is ${definition.type}, but REST sends ${describeShape(shape)}`,
    `add ${results.join(" or ")} to @rest: the list is at this path in the response`,
  );
  return true;
}
