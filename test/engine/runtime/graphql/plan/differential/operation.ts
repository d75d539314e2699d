/**
 * Writes a random operation on a schema as text, with random values for its variables. The operation is valid, except that
 * some of its selections may not merge. `Cases` skips such an operation.
 */
import {
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isUnionType,
} from "graphql";
import { hash, Random } from "../../../../../support/random.ts";

export type RandomOperation = {
  readonly text: string;
  readonly operationName: string | undefined;
  /** Other values for the same document. */
  variables(...seed: readonly unknown[]): Record<string, unknown>;
};

type Variable = { readonly type: GraphQLInputType; readonly written: string };
type Writing = {
  readonly random: Random;
  readonly schema: GraphQLSchema;
  readonly variables: Map<string, Variable>;
  readonly fragments: Map<string, { on: string; body: string }>;
};

const oddAliases = ["__proto__", "constructor", "toString", "t", "gathered", "from", "out", "data", "errors"];

export function randomOperation(schema: GraphQLSchema, ...seed: readonly unknown[]): RandomOperation {
  const random = new Random(...seed, "operation");
  const writing: Writing = { random, schema, variables: new Map(), fragments: new Map() };
  const kind = random.chance(0.2) ? "mutation" : "query";
  const root = kind === "query" ? schema.getQueryType() : schema.getMutationType();
  if (!root) throw new Error(`no ${kind} type`);
  const body = selectionSet(writing, root, 0);
  const definitions = [...writing.variables].map(([name, { written }]) => `$${name}: ${written}`);
  const fragments = [...writing.fragments].map(
    ([name, { on, body: text }]) => `fragment ${name} on ${on} ${text}`,
  );
  const isOneOfTwo = random.chance(0.1);
  const head = `${kind} Main${definitions.length > 0 ? `(${definitions.join(", ")})` : ""} ${body}`;
  const text = [isOneOfTwo ? "query Other { __typename }" : "", head, ...fragments].join("\n");
  return {
    text,
    operationName: isOneOfTwo ? "Main" : undefined,
    variables: (...valueSeed) => valuesFor(new Random(...valueSeed, "variables"), writing.variables),
  };
}

function selectionSet(writing: Writing, type: GraphQLCompositeType, depth: number): string {
  const { random } = writing;
  const count = 1 + random.int(depth < 2 ? 4 : 3);
  const selections = random.times(count, () => selection(writing, type, depth));
  return `{\n${selections.join("\n")}\n}`;
}

function selection(writing: Writing, type: GraphQLCompositeType, depth: number): string {
  const { random } = writing;
  if (random.chance(0.08)) return `${aliased(random, "__typename")}${directive(writing)}`;
  if (isUnionType(type) || random.chance(0.2)) return fragment(writing, type, depth);
  const fields = Object.values(type.getFields());
  const shallow = fields.filter((field) => !isCompositeType(getNamedType(field.type)));
  const from = depth >= 4 ? shallow : fields;
  return from.length > 0 ? fieldOf(writing, random.pick(from), depth) : "__typename";
}

function fieldOf(writing: Writing, field: GraphQLField<unknown, unknown>, depth: number): string {
  const { random } = writing;
  const named = getNamedType(field.type);
  const args = field.args.flatMap((argument) => argumentOf(writing, argument));
  const written = args.length > 0 ? `(${args.join(", ")})` : "";
  const below = isCompositeType(named) ? ` ${selectionSet(writing, named, depth + 1)}` : "";
  // selections of one key with different arguments would not merge
  const name =
    written && random.chance(0.95)
      ? `${field.name}_${hash(written) % 1_000}: ${field.name}`
      : aliased(random, field.name);
  return `${name}${written}${directive(writing)}${below}`;
}

function aliased(random: Random, name: string): string {
  if (random.chance(0.75)) return name;
  return random.chance(0.2) ? `${random.pick(oddAliases)}: ${name}` : `${name}_${random.int(3)}: ${name}`;
}

function fragment(writing: Writing, type: GraphQLCompositeType, depth: number): string {
  const { random, schema, fragments } = writing;
  const possible = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  const on = isAbstractType(type) && possible.length > 0 && random.chance(0.8) ? random.pick(possible) : type;
  const known = [...fragments].filter(([, { on: name, body }]) => name === on.name && body !== "");
  if (random.chance(0.3)) {
    if (known.length > 0 && random.chance(0.5)) return `...${random.pick(known)[0]}${directive(writing)}`;
    const name = `F${fragments.size}`;
    fragments.set(name, { on: on.name, body: "" });
    fragments.set(name, { on: on.name, body: selectionSet(writing, on, depth + 1) });
    return `...${name}${directive(writing)}`;
  }
  const condition = on === type && random.chance(0.5) ? "" : ` on ${on.name}`;
  return `...${condition}${directive(writing)} ${selectionSet(writing, on, depth)}`;
}

function directive(writing: Writing): string {
  const { random, variables } = writing;
  if (!random.chance(0.1)) return "";
  const name = random.pick(["skip", "include"]);
  if (random.chance(0.3)) return ` @${name}(if: ${random.chance(0.5)})`;
  const variable = `c${random.int(3)}`;
  const boolean = writing.schema.getType("Boolean") as GraphQLInputType;
  if (!variables.has(variable))
    variables.set(variable, {
      type: boolean,
      written: random.pick(["Boolean!", "Boolean! = true", "Boolean = false"]),
    });
  return ` @${name}(if: $${variable})`;
}

/** One argument as text; sometimes an empty list for an optional argument. */
function argumentOf(writing: Writing, { name, type, defaultValue }: GraphQLArgument): string[] {
  const { random, variables } = writing;
  const mayMiss = !isNonNullType(type) || defaultValue !== undefined;
  if (mayMiss && random.chance(0.3)) return [];
  if (random.chance(0.5)) return [`${name}: ${literal(random, type, 0)}`];
  const variable = `v${variables.size}`;
  const written =
    random.chance(0.3) && isNonNullType(type) && defaultValue !== undefined
      ? String(type.ofType)
      : String(type);
  const defaulted = random.chance(0.3) ? ` = ${literal(random, type, 1)}` : "";
  variables.set(variable, { type, written: written + defaulted });
  return [`${name}: $${variable}`];
}

function literal(random: Random, type: GraphQLInputType, depth: number): string {
  if (isNonNullType(type))
    return literal(random, type.ofType as GraphQLInputType, depth).replace(/^null$/, fallback(type.ofType));
  if (random.chance(0.1)) return "null";
  if (isListType(type))
    return `[${random.times(random.int(3), () => literal(random, type.ofType, depth + 1)).join(", ")}]`;
  if (isEnumType(type)) return random.pick(type.getValues()).name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(
      ({ type: of }) => depth < 2 || !isInputObjectType(of),
    );
    return `{ ${random
      .some(fields, 0.5)
      .map(({ name, type: of }) => `${name}: ${literal(random, of, depth + 1)}`)
      .join(", ")} }`;
  }
  if (type.name === "Boolean") return String(random.chance(0.5));
  return type.name === "Int"
    ? String(random.int(9))
    : JSON.stringify(random.pick(["", "text", 'with "quotes"']));
}

const fallback = (type: unknown): string => ({ Boolean: "true", Int: "4" })[String(type)] ?? '"x"';

/** Random JSON values. Some are absent, null or of a wrong type. */
function valuesFor(random: Random, variables: ReadonlyMap<string, Variable>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, { type, written }] of variables) {
    const isRequired = written.endsWith("!");
    if (!isRequired && random.chance(0.3)) continue;
    if (random.chance(0.005)) values[name] = random.pick([null, {}, "no", 1.5]);
    else
      values[name] = jsonOf(
        random,
        isRequired && !isNonNullType(type) ? type : type,
        isRequired || written.startsWith("Boolean! "),
      );
  }
  return values;
}

function jsonOf(random: Random, type: GraphQLInputType, isRequired: boolean): unknown {
  if (isNonNullType(type)) return jsonOf(random, type.ofType as GraphQLInputType, true);
  if (!isRequired && random.chance(0.15)) return null;
  if (isListType(type)) return random.times(random.int(3), () => jsonOf(random, type.ofType, false));
  if (isEnumType(type)) return random.pick(type.getValues()).name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(({ type: of }) => !isInputObjectType(of));
    return Object.fromEntries(
      random.some(fields, 0.5).map(({ name, type: of }) => [name, jsonOf(random, of, false)]),
    );
  }
  if (type.name === "Boolean") return random.chance(0.5);
  return type.name === "Int" ? random.int(9) : random.pick(["", "text", "ünï"]);
}
