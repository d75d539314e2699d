/** Breaking edits of the schema file: every field, argument, enum value and directive argument of a pair. */
import {
  type ConstDirectiveNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  type TypeNode,
} from "graphql";
import type { Mutation } from "./mutation.ts";
import { type Pair, uses } from "./pair.ts";
import type { Edit } from "./yaml-edit.ts";

type Span = { readonly start: number; readonly end: number };

export function schemaMutations(pair: Pair): Mutation[] {
  const text = pair.files.get("schema.graphql") ?? "";
  const found: Mutation[] = [];
  const add = (name: string, span: Span, replacement: string, ...coordinates: string[]): void => {
    found.push({
      name: `${pair.name}: ${name}`,
      file: "schema.graphql",
      edit: splice(text, span, replacement),
      coordinates,
    });
  };
  for (const definition of parse(text).definitions) {
    if (definition.kind === Kind.OBJECT_TYPE_DEFINITION) {
      for (const field of definition.fields ?? []) {
        if (uses(field, "rest")) boundField(definition, field, add);
        else plainField(definition, field, add);
      }
    }
    if (definition.kind === Kind.ENUM_TYPE_DEFINITION) {
      const [value] = definition.values ?? [];
      const name = `${definition.name.value}.${value?.name.value}`;
      if (value?.loc)
        add(`${name} removed`, value.loc, "", name, ...(enumUsers[definition.name.value] ?? []));
    }
    if (definition.kind === Kind.UNION_TYPE_DEFINITION) {
      const last = definition.types?.at(-1);
      const start = definition.types?.at(-2)?.loc?.end;
      if (last?.loc && start)
        add(
          `${last.name.value} no longer a member`,
          { start, end: last.loc.end },
          "",
          definition.name.value,
          "Message.author",
        );
    }
  }
  return found;
}

/** Fields that return an enum. */
const enumUsers: Readonly<Record<string, readonly string[]>> = {
  ConversationStatus: ["Conversation.status"],
  Priority: ["Conversation.priority"],
  MessageDirection: ["Message.direction"],
  MessageStatus: ["Message.status"],
};

type Add = (name: string, span: Span, replacement: string, ...coordinates: string[]) => void;

function plainField(type: ObjectTypeDefinitionNode, field: FieldDefinitionNode, add: Add): void {
  const coordinate = `${type.name.value}.${field.name.value}`;
  const { loc } = field;
  if (!loc || !field.name.loc || !field.type.loc) return;
  add(
    `${coordinate} misspelt`,
    field.name.loc,
    `${field.name.value}X`,
    coordinate,
    `${coordinate}X`,
    type.name.value,
  );
  add(`${coordinate} retyped`, field.type.loc, otherType(field.type), coordinate);
  if (field.type.kind !== Kind.NON_NULL_TYPE)
    add(`${coordinate} made non-null`, field.type.loc, `${sourceOf(field.type)}!`, coordinate);
  add(`${coordinate} argument that feeds nothing`, field.name.loc, `${field.name.value}(x: Int)`, coordinate);
  const name = argumentOf(
    field.directives?.find((each) => each.name.value === "restName"),
    "name",
  );
  if (name) add(`${coordinate} reads another property`, name, '"nothingLikeIt"', coordinate);
}

function boundField(type: ObjectTypeDefinitionNode, field: FieldDefinitionNode, add: Add): void {
  const coordinate = `${type.name.value}.${field.name.value}`;
  const rest = field.directives?.find(({ name }) => name.value === "rest");
  if (!rest?.loc || !field.loc) return;
  const operation = argumentOf(rest, "operation");
  if (operation) add(`${coordinate} misspells its operation`, operation, '"getNothing"', coordinate);
  for (const name of ["result", "batchBy", "body"]) {
    const span = argumentOf(rest, name);
    if (span) add(`${coordinate} misspells ${name}`, span, '"args.nothing"', coordinate);
  }
  const params = rest.arguments?.find(({ name }) => name.value === "params")?.value;
  if (params?.loc)
    add(
      `${coordinate} feeds an unknown parameter`,
      params.loc,
      '[{ name: "nothing", value: 1 }]',
      coordinate,
    );
  for (const argument of field.arguments ?? []) {
    if (!argument.type.loc) continue;
    // a Boolean argument made Boolean is no edit
    const other = /^Boolean!?$/.test(sourceOf(argument.type)) ? "Int" : "Boolean";
    add(`${coordinate}(${argument.name.value}:) retyped`, argument.type.loc, other, coordinate);
    const name = argumentOf(
      argument.directives?.find((each) => each.name.value === "restName"),
      "name",
    );
    if (name) add(`${coordinate}(${argument.name.value}:) named wrong`, name, '"nothingLikeIt"', coordinate);
  }
}

const argumentOf = (directive: ConstDirectiveNode | undefined, name: string): Span | undefined =>
  directive?.arguments?.find((argument) => argument.name.value === name)?.value.loc;

const sourceOf = (type: TypeNode): string => type.loc?.source.body.slice(type.loc.start, type.loc.end) ?? "";

function otherType(type: TypeNode): string {
  const inner = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  if (inner.kind === Kind.LIST_TYPE) return "String";
  return ["Boolean"].includes(inner.name.value) ? "Int" : "Boolean";
}

function splice(text: string, { start, end }: Span, replacement: string): Edit {
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
  // the finding of a removed definition stands at its type or at a user of it
  const owner = text.lastIndexOf("\n}", start);
  const head = /^(type|enum|union|interface|input) .*/m.exec(text.slice(owner + 2))?.index ?? 0;
  const lines = [lineAt(start), lineAt(start) - 1, ...(replacement === "" ? [lineAt(owner + 2 + head)] : [])];
  return {
    text: text.slice(0, start) + replacement + text.slice(end),
    lines,
    was: [lineAt(start), lineAt(end)],
  };
}
