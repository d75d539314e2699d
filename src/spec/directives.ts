/**
 * The binding directives (DESIGN §4): their definitions, what a field says with them, and the schema without them.
 */
import {
  type ArgumentNode,
  type ASTNode,
  type ConstDirectiveNode,
  type DocumentNode,
  type GraphQLSchema,
  getDirectiveValues,
  Kind,
  parse,
  print,
  visit,
} from "graphql";
import type { Place } from "./diagnostic.ts";
import type { Location } from "./operations.ts";

export const bindingDefinitions = parse(
  `
directive @rest(operation: String!, params: [RestParam!], body: String, result: String, batchBy: String) on FIELD_DEFINITION
directive @restName(name: String, in: RestIn, self: Boolean) on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
input RestParam { name: String!, in: RestIn, from: String, value: RestValue }
enum RestIn { PATH QUERY HEADER BODY }
scalar RestValue
`,
  { noLocation: true },
);

export const bindingNames = new Set(["rest", "restName", "RestParam", "RestIn", "RestValue"]);

export type RestParam = {
  readonly name: string;
  readonly in?: Location;
  readonly from?: string;
  readonly value?: unknown;
};

export type RestDirective = {
  readonly operation: string;
  readonly params: readonly RestParam[];
  readonly body?: string;
  readonly result?: string;
  readonly batchBy?: string;
};

export type RestName = { readonly name?: string; readonly in?: Location; readonly self?: boolean };

/** A definition that may carry directives: a field, an argument, an input field, an enum value. */
export type Carrier = {
  readonly astNode?: (ASTNode & { readonly directives?: readonly ConstDirectiveNode[] }) | null | undefined;
};

const lower = (location: unknown): Location | undefined =>
  typeof location === "string" ? (location.toLowerCase() as Location) : undefined;

/** What `@rest` says, or `undefined` if there is none. */
export function readRest(schema: GraphQLSchema, carrier: Carrier): RestDirective | undefined {
  const values = directiveValues(schema, "rest", carrier);
  if (!values) return undefined;
  const params = (values.params ?? []) as Record<string, unknown>[];
  return {
    ...(values as unknown as RestDirective),
    params: params.map(({ from, ...param }) => ({
      ...(param as Pick<RestParam, "name" | "value">),
      in: lower(param.in),
      ...(typeof from === "string" && { from }),
    })),
  };
}

/** What `@restName` says; an empty object if there is none. */
export function readRestName(schema: GraphQLSchema, carrier: Carrier): RestName {
  const values = directiveValues(schema, "restName", carrier) ?? {};
  const location = lower(values.in);
  return {
    ...(typeof values.name === "string" && { name: values.name }),
    ...(location && { in: location }),
    ...(values.self === true && { self: true }),
  };
}

/** A null is as good as nothing. */
function directiveValues(
  schema: GraphQLSchema,
  name: string,
  carrier: Carrier,
): Record<string, unknown> | undefined {
  const definition = schema.getDirective(name);
  const values = definition && carrier.astNode ? getDirectiveValues(definition, carrier.astNode) : undefined;
  return values && Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** The place of a directive's argument, of the directive, or of the definition: the first there is. */
export function directivePlace(
  carrier: Carrier,
  directive: string,
  argument?: string,
  index?: number,
): Place | undefined {
  const node = carrier.astNode?.directives?.find(({ name }) => name.value === directive);
  const found =
    argument === undefined ? undefined : node?.arguments?.find(({ name }) => name.value === argument);
  return placeOf(itemOf(found, index) ?? found ?? node ?? carrier.astNode);
}

const itemOf = (argument: ArgumentNode | undefined, index: number | undefined): ASTNode | undefined =>
  argument && index !== undefined && argument.value.kind === Kind.LIST
    ? argument.value.values[index]
    : undefined;

export function placeOf(node: ASTNode | null | undefined): Place | undefined {
  const named = node && "name" in node && node.name ? node.name : node;
  const start = named?.loc?.startToken;
  return start && { file: named.loc?.source.name ?? "", line: start.line, column: start.column };
}

/** The schema as clients see it: without the binding directives, their types and their uses. */
export function publicSchema(document: DocumentNode): string {
  const drop = (node: { name: { value: string } }) => (bindingNames.has(node.name.value) ? null : undefined);
  const visible = visit(document, {
    Directive: drop,
    DirectiveDefinition: drop,
    InputObjectTypeDefinition: drop,
    EnumTypeDefinition: drop,
    ScalarTypeDefinition: drop,
  });
  return `${print(visible)}\n`;
}
