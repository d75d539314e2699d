/**
 * Emits `generated/schema.graphql`: the schema that clients see, without the binding directives. The description of a bound field
 * names its REST operation and permission.
 */
import {
  type ASTNode,
  type ConstArgumentNode,
  type ConstDirectiveNode,
  type ConstValueNode,
  DEFAULT_DEPRECATION_REASON,
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type NameNode,
  parse,
  print,
  type StringValueNode,
  visit,
} from "graphql";
import { controlCharacters } from "../../shared/control-characters.ts";
import { withDefer } from "../../shared/defer.ts";
import { membersOf } from "../../shared/json-object.ts";
import { isCounted } from "../../shared/page.ts";
import { semanticNonNullName } from "../../shared/semantic-non-null.ts";
import type { Input, Model } from "../bind/model.ts";
import { methodAndPath } from "../openapi/operation.ts";
import { bindingDefinitionNames } from "../schema/directives.ts";
import type { Federation } from "../schema/federation.ts";

export function emitSchema(model: Model): string {
  const { federation } = model;
  const document = withDefer(withDefinition(model));
  return federation ? described(model, withoutFederation(document, federation)) : described(model, document);
}

/** Emits `generated/subgraph.graphql`: the same schema with federation's directives, for composing the supergraph. */
export const emitSubgraph = (model: Model): string => described(model, withDefinition(model));

/** Adds the Query fields that resolve federation entities, so that their resolvers get types. */
export function withReferences({ federation, schema }: Model, text: string): string {
  const fields = (federation?.keys ?? []).flatMap(({ reference }) =>
    reference ? print({ ...reference, directives: [] }) : [],
  );
  return fields.length > 0
    ? `${text}\nextend type ${schema.getQueryType()?.name} {\n${fields.join("\n")}\n}\n`
    : text;
}

/** Removes federation's directives and types, which clients do not use, and type extensions that become empty. */
function withoutFederation(document: DocumentNode, { directives, types }: Federation): DocumentNode {
  const without = ({ name }: { readonly name: NameNode }, names: ReadonlySet<string>) =>
    names.has(name.value) ? null : undefined;
  return visit(document, {
    Directive: (node) => without(node, directives),
    DirectiveDefinition: (node) => without(node, directives),
    ScalarTypeDefinition: (node) => without(node, types),
    EnumTypeDefinition: (node) => without(node, types),
    SchemaExtension: {
      leave: ({ directives = [], operationTypes = [] }) =>
        directives.length + operationTypes.length === 0 ? null : undefined,
    },
    ObjectTypeExtension: {
      leave: ({ directives = [], fields = [], interfaces = [] }) =>
        directives.length + fields.length + interfaces.length === 0 ? null : undefined,
    },
  });
}

function described(model: Model, document: DocumentNode): string {
  const visible = visit(document, {
    Directive: drop,
    DirectiveDefinition: drop,
    EnumTypeDefinition: drop,
    ScalarTypeDefinition: drop,
    InputObjectTypeDefinition: drop,
    FieldDefinition: (field, _key, _parent, _path, ancestors) =>
      describe(model, coordinateOf(field, ancestors), field),
    InputValueDefinition: (input, _key, _parent, _path, ancestors) =>
      withSunset(model, coordinateOf(input, ancestors), input),
    // a block string cannot escape control characters
    StringValue: (node) =>
      node.block && node.value.search(controlCharacters) >= 0 ? { ...node, block: false } : undefined,
  });
  return `${print(visible)}\n`;
}

/** Returns `Type.field` or `Type.field(argument:)`. */
function coordinateOf(
  { name }: FieldDefinitionNode | InputValueDefinitionNode,
  ancestors: readonly (ASTNode | readonly ASTNode[])[],
): string {
  const [type, field] = ancestors.flatMap((each) => ("name" in each && each.name ? [each.name.value] : []));
  return field === undefined ? `${type}.${name.value}` : `${type}.${field}(${name.value}:)`;
}

/** Whether the name belongs to the binding directives, which clients do not see. */
const isBinding = ({ name }: { readonly name: NameNode }): boolean => bindingDefinitionNames.has(name.value);
const drop = (node: { readonly name: NameNode }) => (isBinding(node) ? null : undefined);

/** The directive of Relay and Apollo Kotlin: the value is null only if the response has an error for it. */
const definition = parse("directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION", {
  noLocation: true,
}).definitions;

function withDefinition({ schemaDocument, semanticNonNull, schema }: Model): DocumentNode {
  if (semanticNonNull.size === 0 || schema.getDirective(semanticNonNullName)) return schemaDocument;
  return { ...schemaDocument, definitions: [...definition, ...schemaDocument.definitions] };
}

function describe(model: Model, coordinate: string, given: FieldDefinitionNode): FieldDefinitionNode {
  const field = withSunset(model, coordinate, withSemanticNonNull(model, coordinate, given));
  const bound = model.fields.get(coordinate);
  if (bound?.kind !== "bound") return field;
  const { id } = bound.operation;
  const held = model.held.get(bound.operation);
  const { permission } = held ?? bound.operation; // a call with the server's credential needs the server's permission
  const at = methodAndPath(bound.operation);
  const rest = `REST: \`${at}\`${id === at ? "" : ` (${id})`}.`;
  const access = permission === undefined ? "" : ` Needs the permission \`${permission}\`.`;
  const value = `${field.description ? `${field.description.value}\n\n` : ""}${rest}${access}`;
  const fedBy = new Map(
    bound.inputs
      .flatMap((input) =>
        input.source.kind === "argument" ? [[input.source.path.join("."), input] as const] : [],
      )
      .reverse(), // `Map` keeps the last entry, but the first parameter describes the argument
  );
  // with counted pages, clients send a cursor in `after`, so REST's description of the page number does not apply
  if (bound.connection && isCounted(bound.connection.next)) fedBy.delete("after");
  return {
    ...field,
    description: { kind: Kind.STRING, value, block: true },
    arguments: field.arguments?.map((argument) => describeArgument(fedBy, argument)),
  };
}

/** Replaces the author's `@semanticNonNull`, which may list fewer levels than the binder has proved. */
function withSemanticNonNull(
  { semanticNonNull, schema }: Model,
  coordinate: string,
  given: FieldDefinitionNode,
): FieldDefinitionNode {
  const takesLevels = schema.getDirective(semanticNonNullName)?.args.some(({ name }) => name === "levels");
  const levels = (semanticNonNull.get(coordinate) ?? []).filter(
    (level) => level === 0 || takesLevels !== false,
  );
  const others = given.directives?.filter(({ name }) => name.value !== semanticNonNullName) ?? [];
  return { ...given, directives: [...others, ...(levels.length > 0 ? [semanticNonNullNode(levels)] : [])] };
}

/** Omits `levels` if it equals the default `[0]`. */
function semanticNonNullNode(levels: readonly number[]): ConstDirectiveNode {
  const values = levels.map((level): ConstValueNode => ({ kind: Kind.INT, value: String(level) }));
  const argument: ConstArgumentNode = {
    kind: Kind.ARGUMENT,
    name: { kind: Kind.NAME, value: "levels" },
    value: { kind: Kind.LIST, values },
  };
  const isPlain = levels.length === 1 && levels[0] === 0;
  const name: NameNode = { kind: Kind.NAME, value: semanticNonNullName };
  return { kind: Kind.DIRECTIVE, name, arguments: isPlain ? [] : [argument] };
}

/** Adds REST's sunset date to the reason of `@deprecated`. */
function withSunset<Node extends FieldDefinitionNode | InputValueDefinitionNode>(
  { deprecations }: Model,
  coordinate: string,
  node: Node,
): Node {
  const sunset = deprecations.get(coordinate)?.sunset;
  const named = node.directives?.find(({ name }) => name.value === "deprecated");
  if (sunset === undefined || !named) return node;
  const [given] = named.arguments ?? [];
  const reason = given?.value.kind === Kind.STRING ? given.value.value : DEFAULT_DEPRECATION_REASON;
  const value: StringValueNode = { kind: Kind.STRING, value: `${reason} (ends on ${sunset})` };
  const name: NameNode = { kind: Kind.NAME, value: "reason" };
  const said: ConstDirectiveNode = { ...named, arguments: [{ kind: Kind.ARGUMENT, name, value }] };
  return { ...node, directives: node.directives?.map((each) => (each === named ? said : each)) };
}

/** Copies the description of the REST parameter that the argument feeds, unless the argument already has a description. */
function describeArgument(
  fedBy: ReadonlyMap<string, Input>,
  argument: InputValueDefinitionNode,
): InputValueDefinitionNode {
  const { name, description } = argument;
  const fed = fedBy.get(name.value);
  const value = membersOf(fed?.node.value).description;
  if (description || typeof value !== "string" || value.trim() === "") return argument;
  return { ...argument, description: { kind: Kind.STRING, value: value.trim(), block: true } };
}
