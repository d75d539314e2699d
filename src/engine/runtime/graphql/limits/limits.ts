/**
 * Limits an operation's depth, aliases, root fields, directives and bound fields before the other validation rules run. The other
 * rules are skipped if the document exceeds a limit, has circular fragments, or has an operation whose root type the schema
 * lacks. With such a document, they could take more time than an execution, or overflow the stack.
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
import { missingRootTypes } from "../../../shared/missing-roots.ts";
import { type CodedError, limitExceeded } from "../../coded-error.ts";
import type { Environment } from "../../settings/environment.ts";
import { exceedsComparisonLimit } from "./comparison-limit.ts";
import {
  countFragment,
  countSelections,
  type SelectionCounts,
  type SelectionWalk,
} from "./count-selections.ts";

const limits = [
  ["MAX_DEPTH", "depth", "levels"],
  ["MAX_ALIASES", "aliases", "aliases"],
  ["MAX_ALIAS_LENGTH", "aliasLength", "characters in an alias"],
  ["MAX_ROOT_FIELDS", "fields", "root fields"],
  ["MAX_DIRECTIVES", "directives", "directives"],
  ["MAX_BOUND_FIELDS", "bound", "fields bound to REST operations"],
] as const satisfies [keyof Environment, keyof SelectionCounts, string][];

/**
 * Maximum number of nested selection sets per level of MAX_DEPTH. More than one is allowed, because fragments add selection sets
 * between the levels of fields.
 */
const nestingPerLevel = 8;

type TextLimit = "MAX_DOCUMENT_LENGTH" | "MAX_DOCUMENT_LINES" | "MAX_DEFINITIONS";

const tooMany = (env: Environment, limit: TextLimit, what: string): CodedError =>
  limitExceeded(limit, env[limit], `a document may have at most ${env[limit]} ${what} (${limit})`);

/**
 * Returns the error for a text that is too large to be parsed. Lines are limited for two reasons: graphql-js counts the lines
 * before an error's location, and a parsed document keeps a token for each comment in memory.
 */
export function textLimitError(env: Environment, text: string): CodedError | undefined {
  const { MAX_DOCUMENT_LENGTH: maxLength, MAX_DOCUMENT_LINES: maxLines } = env;
  if (text.length > maxLength) return tooMany(env, "MAX_DOCUMENT_LENGTH", "characters");
  if (text.length > maxLines && hasMoreLines(text, maxLines))
    return tooMany(env, "MAX_DOCUMENT_LINES", "lines");
  return undefined;
}

function hasMoreLines(text: string, most: number): boolean {
  const ends = /\r\n|[\n\r]/g;
  for (let lines = 1; ends.test(text); ) if (++lines > most) return true;
  return false;
}

/**
 * The validation rule that checks the limits. Its errors name the limit's environment variable and value. If there is an error,
 * the rule replaces the document by an empty document, so that the other rules find nothing to visit.
 */
export const limitRule =
  (env: Environment): ValidationRule =>
  (context): ASTVisitor => ({
    Document(document): DocumentNode | undefined {
      const unknown = missingRootTypes(context.getSchema(), document);
      const errors = unknown.length > 0 ? unknown : findExcesses(context, env, document);
      for (const error of errors) context.reportError(error);
      return errors.length > 0 ? { ...document, definitions: [] } : undefined;
    },
  });

function findExcesses(context: ValidationContext, env: Environment, document: DocumentNode): GraphQLError[] {
  const { definitions } = document;
  if (definitions.length > env.MAX_DEFINITIONS) {
    const { message, details } = tooMany(env, "MAX_DEFINITIONS", "definitions");
    return [new GraphQLError(message, { extensions: { ...details } })];
  }
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const walk: SelectionWalk = {
    schema: context.getSchema(),
    fragments: new Map(fragments.map((fragment) => [fragment.name.value, fragment])),
    counted: new Map(),
    cyclic: new Set(),
  };
  const nested = fragments.filter(({ name }) => isTooNested(env, countFragment(walk, name.value)));
  const found = operations.flatMap((operation) => excessesOf(env, walk, operation));
  if (found.length === 0 && nested.length === 0 && walk.cyclic.size === 0)
    return exceedsComparisonLimit(walk.fragments, [...operations, ...fragments]) ? [repeated] : [];
  return [
    ...found,
    ...(found.length > 0 ? [] : nested.slice(0, 1).map((node) => excess(env, "MAX_DEPTH", "levels", node))),
    ...[...walk.cyclic].slice(0, 1).map((name) => circle(walk, name)),
  ];
}

function excessesOf(
  env: Environment,
  walk: SelectionWalk,
  operation: OperationDefinitionNode,
): GraphQLError[] {
  const type = walk.schema.getRootType(operation.operation) as GraphQLObjectType;
  const selected = countSelections(walk, operation.selectionSet, type);
  const counts = { ...selected, directives: selected.directives + (operation.directives?.length ?? 0) };
  const over = limits.filter(([limit, count]) => counts[count] > env[limit]);
  if (over.length === 0 && isTooNested(env, counts)) return [excess(env, "MAX_DEPTH", "levels", operation)];
  if (counts.introspection > 0 && counts.bound > 0) return [mixed(operation)];
  return over.map(([limit, , what]) => excess(env, limit, what, operation));
}

const repeated = new GraphQLError("the document repeats the same fields too often");

/**
 * Introspection and data cannot be combined, because the larger size limit of introspection responses would apply to the data.
 */
const mixed = (nodes: OperationDefinitionNode): GraphQLError =>
  new GraphQLError("an operation asks for introspection or for data, not for both", { nodes });

const isTooNested = ({ MAX_DEPTH }: Environment, { nesting }: SelectionCounts): boolean =>
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

const circle = ({ fragments }: SelectionWalk, name: string): GraphQLError =>
  new GraphQLError(`Cannot spread fragment "${name}" within itself.`, { nodes: fragments.get(name) ?? null });
