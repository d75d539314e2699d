/** The public schema's changes as graphql-js judges them, each with its coordinate; and bindings that read elsewhere now. */
import {
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from "graphql";
import { enumValues } from "../spec/bind-types.ts";
import { bindingNames } from "../spec/directives.ts";
import type { Model, ModelField } from "../spec/model.ts";
import { inputKey } from "../spec/operations.ts";
import { sourceOf } from "./explain.ts";
import type { ChangeClass } from "./report.ts";

export type SchemaChange = {
  readonly rule: string;
  readonly class: ChangeClass;
  readonly coordinate: string;
  readonly message: string;
  readonly before: unknown;
  readonly after: unknown;
};

export function schemaChanges(base: Model, head: Model): SchemaChange[] {
  const found = [
    ...findBreakingChanges(base.schema, head.schema).map((change) => fromLibrary(change, "breaking")),
    ...findDangerousChanges(base.schema, head.schema).map((change) =>
      fromLibrary(change, classOf(change.type)),
    ),
    ...additions(base.schema, head.schema),
    ...bindingChanges(base, head),
    ...renamedValues(base.schema, head.schema),
  ];
  return found.filter(
    ({ coordinate }) => !bindingNames.has(coordinate.replace(/^@/, "").split(/[.(]/)[0] ?? ""),
  );
}

/** graphql-js calls an optional addition dangerous; a client that does not know it cannot send it. */
const classOf = (type: string): ChangeClass =>
  type === "OPTIONAL_ARG_ADDED" || type === "OPTIONAL_INPUT_FIELD_ADDED" ? "safe" : "dangerous";

function fromLibrary(
  { type, description }: { type: string; description: string },
  kind: ChangeClass,
): SchemaChange {
  const rule = `sdl-${type.toLowerCase().replaceAll("_", "-")}`;
  // without two values the words alone tell one change at a coordinate from another: which member a union lost
  const [, before = null, after = description] = / from (.+) to (.+?)\.?$/.exec(description) ?? [];
  return { rule, class: kind, coordinate: coordinateOf(description), message: description, before, after };
}

/** The library says coordinates in prose only. */
const prose: readonly [RegExp, (match: RegExpExecArray) => string][] = [
  [/arg (\w+) on (\w+\.\w+) was added/, ([, argument, field]) => `${field}(${argument}:)`],
  [/field (\w+) on input type (\w+) was added/, ([, field, type]) => `${type}.${field}`],
  [/^(\w+\.\w+) arg (\w+)/, ([, field, argument]) => `${field}(${argument}:)`],
  [/^(\w+) was (?:removed from|added to) (?:enum) type (\w+)/, ([, value, type]) => `${type}.${value}`],
  [/^(\w+) was (?:removed from|added to) union type (\w+)/, ([, , type]) => `${type}`],
  [/^(\w+) added to interfaces implemented by (\w+)/, ([, , type]) => `${type}`],
  [/^(\w+(?:\.\w+)?)/, ([, coordinate]) => `${coordinate}`],
];

function coordinateOf(description: string): string {
  for (const [pattern, toCoordinate] of prose) {
    const match = pattern.exec(description);
    if (match) return toCoordinate(match);
  }
  return description;
}

function additions(base: GraphQLSchema, head: GraphQLSchema): SchemaChange[] {
  const before = new Set(memberCoordinates(base));
  const added = memberCoordinates(head).filter((coordinate) => !before.has(coordinate));
  return added.map((coordinate) => ({
    rule: "sdl-added",
    class: "safe",
    coordinate,
    message: `${coordinate} is new`,
    before: null,
    after: coordinate,
  }));
}

function memberCoordinates(schema: GraphQLSchema): string[] {
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    if (type.name.startsWith("__")) return [];
    const hasOutputs = isObjectType(type) || isInterfaceType(type);
    const fields = hasOutputs ? Object.keys(type.getFields()).map((field) => `${type.name}.${field}`) : [];
    return isInputObjectType(type) ? [type.name] : [type.name, ...fields];
  });
}

function bindingChanges(base: Model, head: Model): SchemaChange[] {
  return [...base.fields.values()].flatMap((old): SchemaChange[] => {
    const now = head.fields.get(old.coordinate);
    if (!now) return [];
    const [before, after] = [bindingOf(old, now), bindingOf(now, now)];
    if (JSON.stringify(before) === JSON.stringify(after)) return [];
    const message = `${old.coordinate} is bound otherwise now: ${describe(now)}, it was ${describe(old)}`;
    return [
      { rule: "binding-changed", class: "dangerous", coordinate: old.coordinate, message, before, after },
    ];
  });
}

/** What a binding reads and sends, in one order; an operation that was only renamed or moved is the same one. */
function bindingOf(field: ModelField, now: ModelField): unknown {
  if (field.kind === "plain") return field.property ?? null;
  const same =
    now.kind === "bound" &&
    (now.operation.id === field.operation.id ||
      (now.operation.path === field.operation.path && now.operation.method === field.operation.method));
  const inputs = field.inputs.map((input) => [inputKey(input), sourceOf(input.source)]);
  return {
    operation: same && now.kind === "bound" ? now.operation.id : field.operation.id,
    inputs: inputs.sort((one, other) => (String(one) < String(other) ? -1 : 1)),
    body: field.wholeBody ? sourceOf(field.wholeBody) : null,
    result: field.result,
    batchBy: field.batch?.match ?? null,
  };
}

const describe = (field: ModelField): string =>
  field.kind === "plain"
    ? `property ${field.property ?? "none, its parent's own object"}`
    : [field.operation.id, ...field.result].join(".") +
      `(${field.inputs.map((input) => `${input.name}: ${sourceOf(input.source)}`).join(", ")})`;

function renamedValues(base: GraphQLSchema, head: GraphQLSchema): SchemaChange[] {
  return Object.values(base.getTypeMap()).flatMap((old) => {
    const now = head.getType(old.name);
    if (!isEnumType(old) || !isEnumType(now) || !old.astNode) return [];
    const after = enumValues(head, now);
    return [...enumValues(base, old)].flatMap(([name, rest]): SchemaChange[] => {
      const other = after.get(name);
      if (other === undefined || other === rest) return [];
      const coordinate = `${old.name}.${name}`;
      const message = `${coordinate} stands for "${other}" now, it was "${rest}"`;
      return [
        { rule: "binding-changed", class: "dangerous", coordinate, message, before: rest, after: other },
      ];
    });
  });
}
