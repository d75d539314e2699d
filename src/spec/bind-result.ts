/** Where a bound field's value stands in the answer, and that value held against the field's type. */
import { getNullableType, isListType, isNonNullType } from "graphql";
import { matchOutput } from "./bind-outputs.ts";
import type { Binding } from "./binding.ts";
import type { Bound, Value } from "./bound.ts";
import { directivePlace } from "./directives.ts";
import { didYouMean } from "./findings.ts";
import type { BoundField } from "./model.ts";
import { answersNothing } from "./operations.ts";
import { declared } from "./shape.ts";

/** Where the value stands in every 2xx JSON answer; the first is the one whose batch is checked. */
export function resultsOf(binding: Binding, bound: Bound): Value[] {
  const { operation } = bound;
  const isOptional = operation.answers.some(({ shape }) => !shape);
  const answers = operation.answers.flatMap((answer) => {
    const { shape, media, status } = answer;
    return shape && media !== undefined ? [{ shape, media, status }] : [];
  });
  if (answers.length === 0) checkNothing(binding, bound);
  return answers.flatMap(({ shape, media, status }) => {
    const key = /^\d+$/.test(status) ? status : JSON.stringify(status);
    const body = `paths[${JSON.stringify(operation.path)}]["${operation.method}"]["responses"][${key}]["content"][${JSON.stringify(media)}]`;
    return resultOf(binding, bound, {
      shape,
      optional: isOptional,
      expression: binding.expressionOf(shape, body),
    });
  });
}

/** A field over an operation without JSON: null where no content is documented, if nothing more is asked of it. */
function checkNothing(binding: Binding, { field, directive, operation, where }: Bound): void {
  const at = { ...where, rest: operation.node, below: operation.success };
  if (!answersNothing(operation) || directive.result !== undefined || directive.batchBy !== undefined) {
    binding.findings.add(
      "operation-no-json",
      at,
      `${operation.id} documents no JSON answer`,
      "document its 2xx answer as application/json",
    );
  } else if (isNonNullType(field.type)) {
    binding.findings.add(
      "output-nullable",
      at,
      `${where.coordinate} is ${field.type}, but ${operation.id} answers without content, which is null`,
      "drop the `!`",
    );
  }
}

function resultOf(binding: Binding, { field, directive, operation, where }: Bound, body: Value): Value[] {
  let value = body;
  for (const step of directive.result?.split(".") ?? []) {
    const next = declared(value.shape, step);
    if (!next) {
      const at = { ...where, schema: directivePlace(field, "rest", "result"), rest: value.shape.node };
      binding.findings.add(
        "result-missing",
        at,
        `the answer of ${operation.id} has no property "${step}"${didYouMean(step, value.shape.properties.keys())}`,
        "name where the value stands in the body",
      );
      return [];
    }
    const optional = value.optional || !next.required || value.shape.nullable;
    const expression = binding.expressionOf(
      next.shape,
      `NonNullable<${value.expression}[${JSON.stringify(step)}]>`,
    );
    binding.rely(where.coordinate, value.shape.node, next.node);
    value = { shape: next.shape, optional, expression };
  }
  return [value];
}

export function matchBound(
  binding: Binding,
  bound: Bound,
  value: Value,
  batch: BoundField["batch"],
  mayHaveNothing: boolean,
): void {
  const { field, where, operation } = bound;
  const at = { ...where, rest: operation.node };
  binding.rely(where.coordinate, value.shape.node);
  if (mayHaveNothing && isNonNullType(field.type)) {
    binding.findings.add(
      "output-nullable",
      at,
      `${where.coordinate} is ${field.type}, but its parent may have no key for it`,
      "drop the `!`",
    );
  }
  if (!batch) return matchOutput(binding, at, field.type, value);
  const items = value.shape.items;
  const keyMayMiss = batch.mode === "one" || batch.key.source.nullable;
  if (keyMayMiss && isNonNullType(field.type)) {
    binding.findings.add(
      "output-nullable",
      at,
      `${where.coordinate} is ${field.type}, but a key without an answer is null`,
      "drop the `!`",
    );
  }
  const bare = getNullableType(field.type);
  if (!items) return matchOutput(binding, at, field.type, value);
  const item = {
    shape: items,
    optional: false,
    expression: binding.expressionOf(items, `NonNullable<${value.expression}>[number]`),
  };
  if (batch.mode === "one") return matchOutput(binding, at, bare, item);
  if (!isListType(bare)) return undefined;
  if (batch.mode === "each" && isNonNullType(bare.ofType)) {
    binding.findings.add(
      "output-nullable",
      at,
      `items of ${where.coordinate} are ${bare.ofType}, but a key without an answer is null`,
      "drop the inner `!`",
    );
  }
  return matchOutput(binding, { ...at, rest: items.node }, bare.ofType, item);
}
