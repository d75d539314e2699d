/** The binding directives `@rest`, `@restName` and `@restEntries`: their definitions, and their values on a schema element. */
import {
  type ArgumentNode,
  type ASTNode,
  type ConstDirectiveNode,
  type GraphQLSchema,
  getDirectiveValues,
  Kind,
  parse,
} from "graphql";
import { isRecord } from "../../shared/json-object.ts";
import type { FileLocation } from "../diagnostic.ts";
import type { InputLocation } from "../openapi/operation.ts";

export const bindingDefinitions = parse(
  `
directive @rest(operation: String!, params: [RestParam!], body: String, result: String, batchBy: String, connection: RestConnection) on FIELD_DEFINITION
directive @restName(name: String, in: RestIn, self: Boolean) on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
directive @restEntries on FIELD_DEFINITION
input RestParam { name: String!, in: RestIn, from: String, value: RestValue }
input RestConnection { items: String, next: String, more: String, total: String, pages: RestPages }
enum RestPages { LINKED NUMBERED OFFSET }
enum RestIn { PATH QUERY HEADER BODY ITEM }
scalar RestValue
`,
  { noLocation: true },
);

export const bindingDefinitionNames = new Set([
  "rest",
  "restName",
  "restEntries",
  "RestParam",
  "RestConnection",
  "RestPages",
  "RestIn",
  "RestValue",
]);

export type RestParam = {
  readonly name: string;
  readonly in?: InputLocation;
  readonly from?: string;
  readonly value?: unknown;
};

export type RestDirective = {
  readonly operation: string;
  readonly params: readonly RestParam[];
  readonly body?: string;
  readonly result?: string;
  readonly batchBy?: string;
  readonly connection?: RestConnection;
};

/** The places of a page's values in the REST body; dots go deeper. Without `next`, `pages` says how REST reads on. */
type RestConnection = {
  readonly items?: string;
  readonly next?: string;
  readonly more?: string;
  readonly total?: string;
  readonly pages?: "LINKED" | "NUMBERED" | "OFFSET";
};

type RestName = { readonly name?: string; readonly in?: InputLocation; readonly self?: boolean };

/** A definition that may carry directives: a field, an argument, an input field, an enum value. */
export type DirectiveCarrier = {
  readonly astNode?: (ASTNode & { readonly directives?: readonly ConstDirectiveNode[] }) | null | undefined;
};

const lower = (location: unknown): InputLocation | undefined =>
  typeof location === "string" ? (location.toLowerCase() as InputLocation) : undefined;

/** The values of `@rest`; `undefined` if the element does not carry it. */
export function readRest(schema: GraphQLSchema, carrier: DirectiveCarrier): RestDirective | undefined {
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

/** The values of `@restName`; an empty object if the element does not carry it. */
export function readRestName(schema: GraphQLSchema, carrier: DirectiveCarrier): RestName {
  const values = directiveValues(schema, "restName", carrier) ?? {};
  const location = lower(values.in);
  return {
    ...(typeof values.name === "string" && { name: values.name }),
    ...(location && { in: location }),
    ...(values.self === true && { self: true }),
  };
}

/** Whether the field shows a map as the list of its entries (`@restEntries`). */
export const showsEntries = (schema: GraphQLSchema, field: DirectiveCarrier): boolean =>
  directiveValues(schema, "restEntries", field) !== undefined;

/** `@rest(…)` as a schema writes it. Arguments without a value are left out. */
export const restText = (directive: Pick<RestDirective, "operation"> & Partial<RestDirective>): string =>
  `@rest(${membersText(directive)})`;

const membersText = (members: object): string =>
  Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${isEnumMember(name) ? String(value).toUpperCase() : valueText(value)}`)
    .join(", ");

const isEnumMember = (name: string): boolean => name === "in" || name === "pages";

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  return isRecord(value) ? `{ ${membersText(value)} }` : JSON.stringify(value);
}

/** A null value counts as absent. */
function directiveValues(
  schema: GraphQLSchema,
  name: string,
  carrier: DirectiveCarrier,
): Record<string, unknown> | undefined {
  const definition = schema.getDirective(name);
  const values = definition && carrier.astNode ? getDirectiveValues(definition, carrier.astNode) : undefined;
  return values && Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** The place of a directive's argument, else of the directive, else of the definition. */
export function directiveLocation(
  carrier: DirectiveCarrier,
  directive: string,
  argument?: string,
  index?: number,
): FileLocation | undefined {
  const node = carrier.astNode?.directives?.find(({ name }) => name.value === directive);
  const found =
    argument === undefined ? undefined : node?.arguments?.find(({ name }) => name.value === argument);
  return nodeLocation(itemOf(found, index) ?? found ?? node ?? carrier.astNode);
}

const itemOf = (argument: ArgumentNode | undefined, index: number | undefined): ASTNode | undefined =>
  argument && index !== undefined && argument.value.kind === Kind.LIST
    ? argument.value.values[index]
    : undefined;

export function nodeLocation(node: ASTNode | null | undefined): FileLocation | undefined {
  const named = node && "name" in node && node.name ? node.name : node;
  const start = named?.loc?.startToken;
  return start && { file: named.loc?.source.name ?? "", line: start.line, column: start.column };
}
