/** The changes of the schema file: graphql-js finds those of the public schema, `bindingChanges` those of the directives. */
import {
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from "graphql";
import type { Model } from "../../bind/model.ts";
import { bindingDefinitionNames } from "../../schema/directives.ts";
import type { ChangeClass } from "../report.ts";
import { bindingChanges } from "./binding-changes.ts";
import type { SchemaChange } from "./schema-change.ts";

export function schemaChanges(base: Model, head: Model): SchemaChange[] {
  const found = [
    ...findBreakingChanges(base.schema, head.schema).map((change) => fromLibrary(change, "breaking")),
    ...findDangerousChanges(base.schema, head.schema).map((change) =>
      fromLibrary(change, classOf(change.type)),
    ),
    ...additions(base.schema, head.schema),
    ...bindingChanges(base, head),
  ];
  return found.filter(
    ({ coordinate }) => !bindingDefinitionNames.has(coordinate.replace(/^@/, "").split(/[.(]/)[0] ?? ""),
  );
}

/** graphql-js calls an optional argument or input field dangerous. It is safe: existing clients do not send it. */
const classOf = (type: string): ChangeClass =>
  type === "OPTIONAL_ARG_ADDED" || type === "OPTIONAL_INPUT_FIELD_ADDED" ? "safe" : "dangerous";

function fromLibrary(
  { type, description }: { type: string; description: string },
  kind: ChangeClass,
): SchemaChange {
  const rule = `sdl-${type.toLowerCase().replaceAll("_", "-")}`;
  // a description without two values is the fact itself: a union may lose two members at one coordinate
  const [, before = null, after = description] = / from (.+) to (.+?)\.?$/.exec(description) ?? [];
  return { rule, class: kind, coordinate: coordinateOf(description), message: description, before, after };
}

/** graphql-js names coordinates only inside its descriptions. */
const descriptionPatterns: readonly [RegExp, (match: RegExpExecArray) => string][] = [
  [/arg (\w+) on (\w+\.\w+) was added/, ([, argument, field]) => `${field}(${argument}:)`],
  [/field (\w+) on input type (\w+) was added/, ([, field, type]) => `${type}.${field}`],
  [/^(\w+\.\w+) arg (\w+)/, ([, field, argument]) => `${field}(${argument}:)`],
  [/^(\w+) was (?:removed from|added to) (?:enum) type (\w+)/, ([, value, type]) => `${type}.${value}`],
  [/^(\w+) was (?:removed from|added to) union type (\w+)/, ([, , type]) => `${type}`],
  [/^(\w+) added to interfaces implemented by (\w+)/, ([, , type]) => `${type}`],
  [/^(\w+(?:\.\w+)?)/, ([, coordinate]) => `${coordinate}`],
];

function coordinateOf(description: string): string {
  for (const [pattern, toCoordinate] of descriptionPatterns) {
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
