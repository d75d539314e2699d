/** Finds fields and enum values that look the same to clients but are bound differently to REST. */

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

/** Ignores the inputs of newly required REST parameters: the schema had to add them. */
function withoutNewDemands(old: ModelField, now: ModelField): ModelField {
  if (old.kind !== "bound" || now.kind !== "bound") return now;
  const had = new Set(inputSlotsOf(old.operation).map(inputKey));
  const isNew = (input: Input): boolean => input.required && input.in !== "item" && !had.has(inputKey(input));
  return { ...now, inputs: now.inputs.filter((input) => !isNew(input)) };
}

/** Returns the binding as a JSON value. Operations are equal if their `operationId`, or their method and path, are equal. */
function bindingOf(field: ModelField, now: ModelField): unknown {
  if (field.kind === "plain") {
    const path = field.path.length > 1 ? field.path : (field.path[0] ?? null);
    return field.entries ? { entries: path } : path;
  }
  const isSame = now.kind === "bound" && isSameOperation(now.operation, field.operation);
  // omits the parameter's location (path, query or header), because only the OpenAPI document sets it
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

/** Omits page sizes, because only the OpenAPI document sets them. */
const connectionOf = ({ connection }: BoundField): unknown =>
  connection
    ? [
        connection.items,
        nextPageOf(connection.next),
        connection.more ?? null,
        connection.moreIf === "false",
        pathOfPart(connection, "total") ?? null,
      ]
    : null;

function nextPageOf(next: NextPage): string | readonly string[] {
  if (isCounted(next)) return next.by === "offset" ? "offset" : "numbered";
  return next.by === "link" ? (next.at ?? next.parameter) : next.at;
}

/** Describes both bindings, with `…` in place of the inputs that they share. */
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
 * Finds enum values that `@restName` maps to another REST value than before. If the definition is unchanged, the document changed
 * the REST value, and other rules report that.
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
