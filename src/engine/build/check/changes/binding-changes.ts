/** Finds fields and enum values that are unchanged in the public schema but now have another REST source. */

import { isEnumType } from "graphql";
import { isCounted, type NextPage, pathOfPart } from "../../../shared/page.ts";
import { enumValues } from "../../bind/enum-values.ts";
import { inputSlotsOf } from "../../bind/inputs/input-slots.ts";
import { formatSource } from "../../bind/inputs/input-source.ts";
import type { BoundField, Input, Model, ModelField } from "../../bind/model.ts";
import { nodeKey } from "../../openapi/document.ts";
import { inputKey, isSameOperation } from "../../openapi/operation.ts";
import { definitionAt } from "../../schema/schema-coordinate.ts";
import { removedNode } from "./causes.ts";
import { type Change, schemaChange } from "./change.ts";

export const bindingChanges = (base: Model, head: Model): Change[] => [
  ...fieldChanges(base, head),
  ...enumValueChanges(base, head),
];

function fieldChanges(base: Model, head: Model): Change[] {
  return [...base.fields.values()].flatMap((old): Change[] => {
    const now = head.fields.get(old.coordinate);
    if (!now) return [];
    const before = bindingOf(old, now);
    const after = bindingOf(withoutNewDemands(old, now), now);
    if (JSON.stringify(before) === JSON.stringify(after)) return [];
    const [is, was] = described(now, old);
    const message = `${old.coordinate} is bound differently now: ${is}, it was ${was}`;
    const change = schemaChange("binding-changed", old.coordinate, message, before, after);
    const gone = removedNode(base, head, old.coordinate);
    return [gone ? { ...change, cause: nodeKey(gone), place: nodeKey(gone) } : change];
  });
}

/**
 * Removes the inputs for parameters that REST newly requires. The call only works with these inputs, so they do not count as a
 * changed binding.
 */
function withoutNewDemands(old: ModelField, now: ModelField): ModelField {
  if (old.kind !== "bound" || now.kind !== "bound") return now;
  const had = new Set(inputSlotsOf(old.operation).map(inputKey));
  const isNew = (input: Input): boolean => input.required && input.in !== "item" && !had.has(inputKey(input));
  return { ...now, inputs: now.inputs.filter((input) => !isNew(input)) };
}

/**
 * Converts a binding to a value for comparison. The operation is the same as that of `now` if its `operationId`, or its method
 * and path, are the same.
 */
function bindingOf(field: ModelField, now: ModelField): unknown {
  if (field.kind === "plain") {
    const path = field.path.length > 1 ? field.path : (field.path[0] ?? null);
    return field.entries ? { entries: path } : path;
  }
  const isSame = now.kind === "bound" && isSameOperation(now.operation, field.operation);
  // excludes the parameter's location (path, query, header), because the document decides it
  const inputs = field.inputs.map((input) => [input.name, formatSource(input.source)]);
  return {
    operation: isSame && now.kind === "bound" ? now.operation.id : field.operation.id,
    inputs: inputs.sort((one, other) => (String(one) < String(other) ? -1 : 1)),
    body: field.wholeBody ? formatSource(field.wholeBody) : null,
    result: field.result,
    ...(field.entries && { entries: true }),
    batchBy: field.batch?.match.join(".") ?? null,
    connection: connectionOf(field),
  };
}

/** The response paths of a connection. Excludes page sizes, because the document decides them. */
const connectionOf = ({ connection }: BoundField): unknown =>
  connection
    ? [
        connection.items,
        nextPageOf(connection.next),
        connection.more ?? null,
        pathOfPart(connection, "total") ?? null,
      ]
    : null;

function nextPageOf(next: NextPage): string | readonly string[] {
  if (isCounted(next)) return next.by === "offset" ? "offset" : "numbered";
  return next.by === "link" ? (next.at ?? next.parameter) : next.at;
}

/** Describes both bindings. Prints `…` for the inputs that are the same in both, because an operation may have twenty. */
function described(now: ModelField, old: ModelField): [string, string] {
  const after = inputTexts(now);
  const before = inputTexts(old);
  const shown = (texts: readonly string[], others: readonly string[]): string => {
    const own = texts.filter((text) => !others.includes(text));
    return [...own, ...(own.length < texts.length ? ["…"] : [])].join(", ");
  };
  return [describe(now, shown(after, before)), describe(old, shown(before, after))];
}

const inputTexts = (field: ModelField): string[] =>
  field.kind === "plain" ? [] : field.inputs.map((input) => `${input.name}: ${formatSource(input.source)}`);

const describe = (field: ModelField, inputs: string): string =>
  (field.entries ? "the entries of " : "") +
  (field.kind === "plain"
    ? `property ${field.path.join(".") || "none, its parent's own object"}`
    : `${[field.operation.id, ...field.result].join(".")}(${inputs})`);

/**
 * Compares the REST values of enum values that `@restName` sets. Skips REST values that follow from the naming convention. They
 * change only with the document, and other rules report that.
 */
function enumValueChanges(base: Model, head: Model): Change[] {
  return Object.values(base.schema.getTypeMap()).flatMap((old) => {
    const now = head.schema.getType(old.name);
    if (!isEnumType(old) || !isEnumType(now) || !old.astNode) return [];
    const after = enumValues(head.names, now);
    return [...enumValues(base.names, old)].flatMap(([name, rest]): Change[] => {
      const other = after.get(name);
      const coordinate = `${old.name}.${name}`;
      if (other === undefined || other === rest) return [];
      if (definitionAt(base.schema, coordinate) === definitionAt(head.schema, coordinate)) return [];
      const message = `${coordinate} stands for "${other}" now, it was "${rest}"`;
      return [schemaChange("binding-changed", coordinate, message, rest, other)];
    });
  });
}
