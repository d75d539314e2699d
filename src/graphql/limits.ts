/**
 * What an operation may ask for, checked before anything else looks at it: depth, aliases, root fields, directives, bound
 * fields. A document that is over a limit, or whose fragments go in circles, is not validated any further, which could
 * cost more than running it, or overrun the stack; nor is one that asks for a kind of operation that is not there.
 */
import {
  type ASTVisitor,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLObjectType,
  Kind,
  type OperationDefinitionNode,
  type ValidationContext,
  type ValidationRule,
} from "graphql";
import type { Environment } from "../config.ts";
import { missingRoots } from "../spec/missing-roots.ts";
import { type Counts, countFragment, countSelections, type Walk } from "./count-selections.ts";

const limits = [
  ["MAX_DEPTH", "depth", "levels"],
  ["MAX_ALIASES", "aliases", "aliases"],
  ["MAX_ALIAS_LENGTH", "aliasLength", "characters in an alias"],
  ["MAX_ROOT_FIELDS", "fields", "root fields"],
  ["MAX_DIRECTIVES", "directives", "directives"],
  ["MAX_BOUND_FIELDS", "bound", "fields bound to REST operations"],
] as const satisfies [keyof Environment, keyof Counts, string][];

/** Fragments may stand between the levels of fields, within reason. */
const nestingPerLevel = 8;

type TextLimit = "MAX_DOCUMENT_LENGTH" | "MAX_DOCUMENT_LINES" | "MAX_DEFINITIONS";

const tooMany = (env: Environment, limit: TextLimit, what: string): GraphQLError =>
  new GraphQLError(`a document may have at most ${env[limit]} ${what} (${limit})`, {
    extensions: { limit, value: env[limit] },
  });

/**
 * What makes a document too large to be read at all. Each error counts the lines before it, and each comment is kept
 * with the document.
 */
export function textExcess(env: Environment, text: string): GraphQLError | undefined {
  const { MAX_DOCUMENT_LENGTH: maxLength, MAX_DOCUMENT_LINES: maxLines } = env;
  if (text.length > maxLength) return tooMany(env, "MAX_DOCUMENT_LENGTH", "characters");
  if (text.length > maxLines && text.split(/\r\n|[\n\r]/).length > maxLines)
    return tooMany(env, "MAX_DOCUMENT_LINES", "lines");
  return undefined;
}

/**
 * A validation rule; its errors carry the limit's environment variable and value. A visitor may answer with another
 * node: every other rule then visits a document without definitions.
 */
export const limitRule =
  (env: Environment): ValidationRule =>
  (context): ASTVisitor => ({
    Document(document): DocumentNode | undefined {
      const unknown = missingRoots(context.getSchema(), document);
      const errors = unknown.length > 0 ? unknown : findExcesses(context, env, document);
      for (const error of errors) context.reportError(error);
      return errors.length > 0 ? { ...document, definitions: [] } : undefined;
    },
  });

function findExcesses(context: ValidationContext, env: Environment, document: DocumentNode): GraphQLError[] {
  const { definitions } = document;
  if (definitions.length > env.MAX_DEFINITIONS) return [tooMany(env, "MAX_DEFINITIONS", "definitions")];
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const walk: Walk = {
    schema: context.getSchema(),
    fragments: new Map(fragments.map((fragment) => [fragment.name.value, fragment])),
    counted: new Map(),
    cyclic: new Set(),
  };
  const nested = fragments.filter(({ name }) => isTooNested(env, countFragment(walk, name.value)));
  const found = operations.flatMap((operation) => excessesOf(env, walk, operation));
  return [
    ...found,
    ...(found.length > 0 ? [] : nested.slice(0, 1).map((node) => excess(env, "MAX_DEPTH", "levels", node))),
    ...[...walk.cyclic].slice(0, 1).map((name) => circle(walk, name)),
  ];
}

function excessesOf(env: Environment, walk: Walk, operation: OperationDefinitionNode): GraphQLError[] {
  const type = walk.schema.getRootType(operation.operation) as GraphQLObjectType;
  const selected = countSelections(walk, operation.selectionSet, type);
  const counts = { ...selected, directives: selected.directives + (operation.directives?.length ?? 0) };
  const over = limits.filter(([limit, count]) => counts[count] > env[limit]);
  if (over.length === 0 && isTooNested(env, counts)) return [excess(env, "MAX_DEPTH", "levels", operation)];
  if (counts.introspection > 0 && counts.bound > 0) return [mixed(operation)];
  return over.map(([limit, , what]) => excess(env, limit, what, operation));
}

/** graphql-js runs introspection, and with it whatever else is asked for, without a plan's bounds. */
const mixed = (nodes: OperationDefinitionNode): GraphQLError =>
  new GraphQLError("an operation asks for introspection or for data, not for both", { nodes });

const isTooNested = ({ MAX_DEPTH }: Environment, { nesting }: Counts): boolean =>
  nesting > nestingPerLevel * MAX_DEPTH;

function excess(
  env: Environment,
  limit: (typeof limits)[number][0],
  what: string,
  nodes: OperationDefinitionNode | FragmentDefinitionNode,
): GraphQLError {
  const value = env[limit];
  return new GraphQLError(`an operation may have at most ${value} ${what} (${limit})`, {
    nodes,
    extensions: { limit, value },
  });
}

const circle = ({ fragments }: Walk, name: string): GraphQLError =>
  new GraphQLError(`Cannot spread fragment "${name}" within itself.`, { nodes: fragments.get(name) ?? null });
