/**
 * Finds the changes of `schema.graphql`. Compares the public schema by graphql-js, and the binding directives by
 * `bindingChanges`.
 */
import {
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  print,
} from "graphql";
import type { Model } from "../../bind/model.ts";
import { bindingDefinitionNames } from "../../schema/directives.ts";
import { fieldOf } from "../../schema/schema-coordinate.ts";
import { bindingChanges } from "./binding-changes.ts";
import { type Change, schemaChange } from "./change.ts";
import type { schemaRules } from "./change-catalogue.ts";

/** `today` is `YYYY-MM-DD`. */
export function schemaChanges(base: Model, head: Model, today: string): Change[] {
  const found = [
    ...findBreakingChanges(base.schema, head.schema).flatMap(fromLibrary),
    ...findDangerousChanges(base.schema, head.schema).flatMap(fromLibrary),
    ...additions(base.schema, head.schema),
    ...newDefaults(base.schema, head.schema),
    ...newChoices(base.schema, head.schema),
    ...bindingChanges(base, head),
  ];
  return found
    .filter(
      ({ coordinate }) => !bindingDefinitionNames.has(coordinate.replace(/^@/, "").split(/[.(]/)[0] ?? ""),
    )
    .map((change) => afterSunset(base, change, today));
}

const removals = new Set<string>(["sdl-field-removed", "sdl-arg-removed", "sdl-type-removed"]);

/** Classifies a removal as safe if REST announced the element's sunset date and the date has passed. */
function afterSunset(base: Model, change: Change, today: string): Change {
  if (!removals.has(change.rule) || !hasEnded(base, change.coordinate, today)) return change;
  return {
    ...change,
    class: "safe",
    message: `${change.message} Its sunset date in REST has passed.`,
  };
}

/**
 * Whether the element's sunset date has passed. For a type, the dates of all fields and arguments with that type must have
 * passed.
 */
function hasEnded({ schema, deprecations }: Model, coordinate: string, today: string): boolean {
  const isOver = (each: string): boolean => (deprecations.get(each)?.sunset ?? "9999") <= today;
  if (coordinate.includes(".")) return isOver(coordinate);
  const leading = membersIn(schema).filter(({ element }) => getNamedType(element.type).name === coordinate);
  return leading.length > 0 && leading.every(({ coordinate: at }) => isOver(at) || isOver(fieldOf(at)));
}

/**
 * The class of a change comes from this project's rules, not from graphql-js. For example, graphql-js calls a new optional
 * argument dangerous, but existing clients do not send it.
 */
function fromLibrary({ type, description }: { type: string; description: string }): Change[] {
  // graphql-js also reports a built-in scalar such as `Int` when it comes into use or goes out of use
  if (description.startsWith("Standard scalar ")) return [];
  // reported by `newDefaults`
  if (type === "ARG_DEFAULT_VALUE_CHANGE" && description.endsWith(" was removed.")) return [];
  const rule = `sdl-${type.toLowerCase().replaceAll("_", "-")}` as keyof typeof schemaRules;
  // A description without `from … to …` becomes part of the fingerprint, to distinguish two removed members of one union.
  const [, before = null, after = description] = / from (.+) to (.+?)\.?$/.exec(description) ?? [];
  return [schemaChange(rule, coordinateOf(type, description), description, before, after)];
}

/** Patterns that extract the coordinate from a description, because graphql-js does not report the coordinate separately. */
const descriptionPatterns: readonly (readonly [RegExp, coordinate: string])[] = [
  [/^.*\barg (\w+) on (\w+\.\w+) was added.*$/s, "$2($1:)"],
  [/^.*\bfield (\w+) on input type (\w+) was added.*$/s, "$2.$1"],
  [/^(\w+\.\w+) arg (\w+).*$/s, "$1($2:)"],
  [/^(\w+) was (?:removed from|added to) enum type (\w+).*$/s, "$2.$1"],
  [/^\w+ (?:was (?:removed from|added to) union type|added to interfaces implemented by) (\w+).*$/s, "$1"],
  [/^.*\b(?:on directive|was removed from) (\w+).*$/s, "@$1"],
  [/^(\w+(?:\.\w+)?).*$/s, "$1"],
];

function coordinateOf(type: string, description: string): string {
  const [pattern = /$/, coordinate = ""] = descriptionPatterns.find(([each]) => each.test(description)) ?? [];
  return (type === "DIRECTIVE_REMOVED" ? "@" : "") + description.replace(pattern, coordinate);
}

/**
 * Finds default changes that graphql-js does not report: added or removed defaults of arguments, and all changes for input
 * fields. A non-null argument or input field that loses its default becomes required, unless it was nullable before: then only
 * its changed type is reported.
 */
function newDefaults(base: GraphQLSchema, head: GraphQLSchema): Change[] {
  const before = new Map(membersIn(base).map(({ coordinate, element }) => [coordinate, element]));
  return membersIn(head).flatMap(({ coordinate, element, kind }): Change[] => {
    const old = before.get(coordinate);
    // existing clients always send an element that was required
    if (!old || kind === "field" || (isNonNullType(old.type) && !defaultOf(old))) return [];
    const [was = none, is = none] = [defaultOf(old), defaultOf(element)];
    if (is === none && was !== none && isNonNullType(element.type)) {
      const message = `${coordinate} has no default now, it had ${was}: clients that leave it out are rejected`;
      return isNonNullType(old.type)
        ? [schemaChange("sdl-default-removed", coordinate, message, was, is)]
        : [];
    }
    // graphql-js already reports an argument's change from one default to another
    if (was === is || (kind === "argument" && was !== none && is !== none)) return [];
    const message = `${coordinate} has ${is} now where clients leave it out, it had ${was}`;
    return [schemaChange("sdl-arg-default-value-change", coordinate, message, was, is)];
  });
}

const none = "no default";

const defaultOf = ({ astNode }: Member["element"]): string | undefined =>
  astNode && "defaultValue" in astNode && astNode.defaultValue ? print(astNode.defaultValue) : undefined;

/** Finds input types that became `@oneOf`, which graphql-js does not report. They reject requests with several fields. */
function newChoices(base: GraphQLSchema, head: GraphQLSchema): Change[] {
  return Object.values(base.getTypeMap()).flatMap((old): Change[] => {
    const now = head.getType(old.name);
    if (!isInputObjectType(old) || !isInputObjectType(now) || old.isOneOf || !now.isOneOf) return [];
    const message = `${old.name} takes exactly one of its fields now`;
    const reached = Object.keys(old.getFields()).map((field) => `${old.name}.${field}`);
    const change = schemaChange("sdl-one-of-added", old.name, message, "any of its fields", "exactly one");
    return [{ ...change, reached }];
  });
}

function additions(base: GraphQLSchema, head: GraphQLSchema): Change[] {
  const before = new Set(ownCoordinates(base));
  const added = ownCoordinates(head).filter((coordinate) => !before.has(coordinate));
  return added.map((coordinate) =>
    schemaChange("sdl-added", coordinate, `${coordinate} is new`, null, coordinate),
  );
}

/** The coordinates of the types that the schema defines, and of the fields of object and interface types. */
const ownCoordinates = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getTypeMap()).flatMap((type) => {
    const fields = isObjectType(type) || isInterfaceType(type) ? Object.keys(type.getFields()) : [];
    return type.astNode ? [type.name, ...fields.map((field) => `${type.name}.${field}`)] : [];
  });

type Member = {
  readonly coordinate: string;
  readonly element: GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLArgument;
  readonly kind: "field" | "input field" | "argument";
};

/** The fields of all types, with their arguments. */
const membersIn = (schema: GraphQLSchema): Member[] =>
  Object.values(schema.getTypeMap()).flatMap((type) => {
    const fields: Record<string, GraphQLField<unknown, unknown> | GraphQLInputField> =
      "getFields" in type ? type.getFields() : {};
    return Object.values(fields).flatMap((element): Member[] => {
      const coordinate = `${type.name}.${element.name}`;
      if (!("args" in element)) return [{ coordinate, element, kind: "input field" }];
      const args = element.args.map(
        (each): Member => ({ coordinate: `${coordinate}(${each.name}:)`, element: each, kind: "argument" }),
      );
      return [{ coordinate, element, kind: "field" }, ...args];
    });
  });
