/**
 * Holds an answer of GraphQL against the REST bodies behind it, value by value: each bound field, also one below an object,
 * against the body of its own operation. It reads the directives of the SDL, and shares no code with `src/`.
 */
import { isDeepStrictEqual } from "node:util";
import {
  type ASTNode,
  type ConstDirectiveNode,
  type GraphQLEnumType,
  type GraphQLEnumValue,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isAbstractType,
  isEnumType,
  isListType,
  isObjectType,
  valueFromASTUntyped,
} from "graphql";
import { fieldsShown } from "./questions.ts";

type Json = Readonly<Record<string, unknown>>;

/** A value of a leaf, in REST's body and in the answer. */
export type Compared = {
  readonly path: string;
  readonly rest: unknown;
  readonly shown: unknown;
  readonly isRight: boolean;
  /** The operation whose answer holds the value. */
  readonly operation: string;
};

type Pair = {
  readonly rest: unknown;
  readonly shown: unknown;
  readonly path: string;
  readonly operation: string;
};

type Answered = {
  readonly schema: GraphQLSchema;
  /** The body of REST's success, `undefined` without one. */
  readonly calls: { readonly body: (operation: string) => unknown };
};

type Field = {
  readonly name: string;
  readonly type: GraphQLOutputType;
  readonly astNode?: ASTNode | null | undefined;
};

/** `field`: one of a root type, or of an object, with an operation of its own. */
export function compareValues(
  answered: Answered,
  field: Field,
  { shown, path = field.name }: { readonly shown: unknown; readonly path?: string },
  depth: number,
): Compared[] {
  const { operation: named, result, connection } = directive(field.astNode, "rest") ?? {};
  const operation = String(named);
  const body = answered.calls.body(operation) ?? null;
  const rest = connection
    ? connectionOf(body, membersOf(connection), membersOf(shown))
    : shownBy(field.astNode, at(body, result));
  return compare(answered, field.type, { rest, shown, path, operation }, depth, "");
}

/** The first page as a connection has to show it. Of a cursor only the type is known: what it holds is not REST's. */
function connectionOf(rest: unknown, { items, next, more }: Json, shown: Json): unknown {
  if (rest === null) return null;
  const list = at(rest, items);
  const edges = listOf(shown.edges);
  const info = membersOf(shown.pageInfo);
  const cursor = (value: unknown): unknown =>
    typeof value === "string" && value !== "" ? value : "a cursor";
  const isEmpty = listOf(list).length === 0;
  // `more` is a flag, or a value that the last page lacks; the next page's number, or its Link header, is not in the body
  const hasNextPage = more ? !!at(rest, more) : next ? !!at(rest, next) : info.hasNextPage === true;
  const [startCursor, endCursor] = [info.startCursor, info.endCursor].map(isEmpty ? (each) => each : cursor);
  return {
    ...(Array.isArray(rest) ? {} : membersOf(rest)),
    nodes: list,
    edges: Array.isArray(list)
      ? list.map((node, index) => ({ node, cursor: cursor(membersOf(edges[index]).cursor) }))
      : list,
    pageInfo: { hasNextPage, hasPreviousPage: false, startCursor, endCursor },
  };
}

function compare(
  answered: Answered,
  type: GraphQLOutputType,
  pair: Pair,
  depth: number,
  alias: string,
): Compared[] {
  const bare = getNullableType(type);
  const { path, rest = null, shown = null, operation } = pair;
  if (rest === null) return [{ path, rest, shown, isRight: shown === null, operation }];
  if (isListType(bare)) {
    const items = listOf(rest);
    const values = listOf(shown);
    const length: Compared = {
      path: `${path}.length`,
      rest: items.length,
      shown: values.length,
      isRight: items.length === values.length,
      operation,
    };
    return [
      length,
      ...items.flatMap((item, index) =>
        compare(
          answered,
          bare.ofType,
          { rest: item, shown: values[index], path: `${path}.${index}`, operation },
          depth,
          alias,
        ),
      ),
    ];
  }
  if (isObjectType(bare)) return compareFields(answered, bare, pair, depth, alias);
  if (isAbstractType(bare)) {
    const member = answered.schema.getType(String(membersOf(shown).__typename));
    return isObjectType(member)
      ? compareFields(answered, member, pair, depth, `${member.name}__`)
      : [{ path, rest, shown, isRight: false, operation }];
  }
  const wanted = isEnumType(bare) ? enumName(bare, rest) : bare.name === "ID" ? String(rest) : rest;
  return [{ path, rest, shown, isRight: isDeepStrictEqual(wanted, shown), operation }];
}

const compareFields = (
  answered: Answered,
  type: GraphQLObjectType,
  { rest, shown, path, operation }: Pair,
  depth: number,
  alias: string,
): Compared[] =>
  fieldsShown(type, depth).flatMap((field) => {
    const below = { shown: membersOf(shown)[alias + field.name], path: `${path}.${field.name}` };
    if (directive(field.astNode, "rest")) return compareValues(answered, field, below, depth - 1);
    const { name, self } = directive(field.astNode, "restName") ?? {};
    const value = self === true ? rest : at(rest, name ?? conventional(rest, field.name));
    const pair = { ...below, rest: shownBy(field.astNode, value), operation };
    return compare(answered, field.type, pair, depth - 1, "");
  });

/** A map as the list of its entries, if the field shows it so. */
function shownBy(field: ASTNode | null | undefined, value: unknown): unknown {
  if (!directive(field, "restEntries") || typeof value !== "object" || value === null) return value;
  return Array.isArray(value)
    ? value.map((item) => shownBy(field, item))
    : Object.entries(value).map(([key, each]) => ({ key, value: each }));
}

/** Names that the naming convention takes for one: case and punctuation do not count. */
const letters = (name: string): string =>
  name
    .replace(/^\+(?=\d)/, "plus")
    .replace(/^-(?=\d)/, "minus")
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .toLowerCase();

/** The property of a field without `@restName`: its own name, or the one that the convention turns into it. */
function conventional(value: unknown, name: string): string {
  const members = membersOf(value);
  if (Object.hasOwn(members, name)) return name;
  return Object.keys(members).find((key) => letters(key) === letters(name)) ?? name;
}

/** The value at a property, or at a path of properties. */
function at(value: unknown, name: unknown): unknown {
  if (typeof name !== "string") return value;
  const members = membersOf(value);
  return Object.hasOwn(members, name)
    ? members[name]
    : name.split(".").reduce<unknown>((each, step) => membersOf(each)[step], value);
}

function enumName(type: GraphQLEnumType, rest: unknown): string | undefined {
  const values = type.getValues();
  const written = ({ name, astNode }: GraphQLEnumValue) => directive(astNode, "restName")?.name ?? name;
  const isAlike = ({ name }: GraphQLEnumValue) => letters(name) === letters(String(rest));
  return (values.find((value) => written(value) === rest) ?? values.find(isAlike))?.name;
}

export function directive(node: ASTNode | null | undefined, name: string): Json | undefined {
  const all = node && "directives" in node ? ((node.directives ?? []) as readonly ConstDirectiveNode[]) : [];
  const found = all.find((each) => each.name.value === name);
  return (
    found &&
    Object.fromEntries(
      (found.arguments ?? []).map((each) => [each.name.value, valueFromASTUntyped(each.value)]),
    )
  );
}

const membersOf = (value: unknown): Json =>
  typeof value === "object" && value !== null ? (value as Json) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
