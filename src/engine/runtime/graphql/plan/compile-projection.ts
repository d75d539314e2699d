/**
 * Compiles a projection, the fast conversion of REST's values to a response. Each selection becomes a generated function. A
 * projection throws at any unexpected value. `complete` then processes the values again and reports the errors. Documents cannot
 * inject code: the generated source contains their text only as GraphQL names and as JSON strings.
 */
import {
  type GraphQLLeafType,
  type GraphQLOutputType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
} from "graphql";
import { dateScalars } from "../../../shared/date-scalars.ts";
import { isInherited, own } from "../../../shared/own.ts";
import { valueAt } from "../../rest/property.ts";
import {
  addParent,
  enclosingWith,
  type FieldPlan,
  hasLevels,
  type ObjectPlan,
  objectBytes,
  type Projection,
} from "./plan.ts";
import { type ResponseBudget, ResponseTooLarge, spendLeaf, weigh } from "./response-budget.ts";

type Emitting = { readonly functions: string[]; readonly names: string[]; readonly values: unknown[] };

export function compileProjection(field: FieldPlan): Projection {
  const emitting: Emitting = {
    functions: [],
    names: ["unexpected", "addParent", "spent", "weigh"],
    values: [unexpected, addParent, spent, weigh],
  };
  const { type } = field.field;
  const expression = valueExpression(emitting, field, {
    type,
    input: "values[i]",
    enclosing: "enclosing[i]",
  });
  const body = `"use strict"; ${emitting.functions.join("\n")}
  return (resultMaps, values, nextParents, budget${enclosingArgument(field)}) => {
    let t;
    for (let i = 0; i < resultMaps.length; i++) resultMaps[i][${JSON.stringify(field.key)}] = ${expression};
  };`;
  return new Function(...emitting.names, body)(...emitting.values) as Projection;
}

const unexpectedValue = new Error("not what the types say");
function unexpected(): never {
  throw unexpectedValue;
}
function spent({ limit }: ResponseBudget): never {
  throw new ResponseTooLarge(limit);
}

/** Returns the code of the additional argument `enclosing`, if a field below the value uses values of enclosing objects. */
const enclosingArgument = (field: FieldPlan, enclosing = "enclosing"): string =>
  [...field.selections.values()].some(({ inherits }) => inherits) ? `, ${enclosing}` : "";

type EmittedValue = {
  readonly type: GraphQLOutputType;
  /** A JavaScript expression for the value. */
  readonly input: string;
  /** A JavaScript expression for the enclosing objects. Default: the parameter `enclosing` of the generated function. */
  readonly enclosing?: string;
  /** Number of the field's lists around the value: for example, 1 for an item of a list. */
  readonly level?: number;
};

/** Returns the expression for the completed value. It evaluates `input` once, and stores the result in the variable `t`. */
function valueExpression(
  emitting: Emitting,
  field: FieldPlan,
  { type, input, enclosing, level = 0 }: EmittedValue,
): string {
  const bare = isNonNullType(type) ? type.ofType : type;
  const missing = isNonNullType(type) || field.neverNull.includes(level) ? "unexpected()" : "null";
  if (isLeafType(bare)) return leafExpression(emitting, bare, input, missing);
  const name = isListType(bare)
    ? listFunction(emitting, field, bare.ofType, level + 1)
    : isAbstractType(bare)
      ? memberFunction(emitting, field, bare)
      : objectFunction(emitting, field.selections.get(bare.name));
  return `((t = ${input}) == null ? ${missing} : ${name}(t, nextParents, budget${enclosingArgument(field, enclosing)}))`;
}

/** The scalars that return REST's strings unchanged. */
const texts: ReadonlySet<string> = new Set(["String", "ID", ...dateScalars.keys()]);

const checks: Record<string, string> = {
  Int: 'typeof t === "number" && (t | 0) === t',
  Float: "Number.isFinite(t)",
  Boolean: 'typeof t === "boolean"',
};

function leafExpression(emitting: Emitting, type: GraphQLLeafType, input: string, missing: string): string {
  const integer = type.name === "ID" ? "Number.isSafeInteger(t) ? String(t) :" : "";
  if (texts.has(type.name))
    return `((t = ${input}), typeof t === "string" ? ((budget.left -= t.length) < budget.exactBelow && weigh(budget, t), t) : ${integer} t == null ? ${missing} : unexpected())`;
  const check = own(checks, type.name);
  if (check) return `((t = ${input}), ${check} ? t : t == null ? ${missing} : unexpected())`;
  const serialize = isEnumType(type) ? enumLookup(type) : scalarValue(type);
  return `((t = ${input}) == null ? ${missing} : (${constant(emitting, serialize)}(t, budget) ?? unexpected()))`;
}

const scalarValue = (type: GraphQLLeafType) => (value: unknown, budget: ResponseBudget) =>
  spendLeaf(budget, type.serialize(value));

function enumLookup(type: GraphQLLeafType & { getValues(): readonly { name: string; value: unknown }[] }) {
  const names = new Map(type.getValues().map(({ name, value }) => [value, name]));
  return (value: unknown) => names.get(value);
}

function listFunction(emitting: Emitting, field: FieldPlan, type: GraphQLOutputType, level: number): string {
  const item = valueExpression(emitting, field, { type, input: "list[i]", level });
  return add(
    emitting,
    (name) => `function ${name}(list, nextParents, budget${enclosingArgument(field)}) {
    if (!Array.isArray(list)) unexpected();
    if ((budget.left -= list.length) < 0) spent(budget);
    const out = new Array(list.length);
    let t;
    for (let i = 0; i < list.length; i++) out[i] = ${item};
    return out;
  }`,
  );
}

function objectFunction(emitting: Emitting, plan: ObjectPlan | undefined): string {
  if (!plan || plan.fault) return "unexpected";
  const entries = plan.fields.map(
    (field) => `[${JSON.stringify(field.key)}]: ${fieldExpression(emitting, field)}`,
  );
  const own = hasLevels(plan) || plan.inherits ? constant(emitting, plan) : "";
  const given = plan.inherits ? ", enclosing" : "";
  const gathering = hasLevels(plan) ? `addParent(nextParents, ${own}, from, out${given});` : "";
  const entering = plan.inherits
    ? `enclosing = ${constant(emitting, enclosingWith)}(${own}, from, enclosing);`
    : "";
  return add(
    emitting,
    (name) => `function ${name}(from, nextParents, budget${given}) {
    if (typeof from !== "object" || Array.isArray(from)) unexpected();
    if ((budget.left -= ${objectBytes(plan)}) < 0) spent(budget);
    let t;
    ${entering}
    const out = { ${entries.join(", ").replaceAll(/\["((?!__proto__")\w+)"\]:/g, "$1:")} };
    ${gathering}
    return out;
  }`,
  );
}

function fieldExpression(emitting: Emitting, field: FieldPlan): string {
  const { source } = field;
  const { type } = field.field;
  if (source.kind === "typename") return JSON.stringify(field.parentType.name);
  const input = inputExpression(emitting, source);
  return input === undefined ? "null" : valueExpression(emitting, field, { type, input });
}

/** Returns the expression that reads the field's value; `undefined` for a field that calls REST. */
function inputExpression(emitting: Emitting, source: FieldPlan["source"]): string | undefined {
  if (source.kind === "computed") return `${constant(emitting, source.compute)}(from)`;
  if (source.kind !== "path") return undefined;
  const { names } = source;
  const [name, ...below] = names;
  if (name === undefined) return "from";
  // every object inherits names such as `valueOf`, so these are read with `valueAt`, which reads only own properties
  if (below.length === 0 && !isInherited(name)) return `from[${JSON.stringify(name)}]`;
  return `${constant(emitting, valueAt)}(from, ${constant(emitting, names)})`;
}

function memberFunction(emitting: Emitting, field: FieldPlan, type: { resolveType?: unknown }): string {
  const resolveType = constant(emitting, type.resolveType);
  const cases = [...field.selections].map(
    ([name, plan]) =>
      `case ${JSON.stringify(name)}: return ${objectFunction(emitting, plan)}(from, nextParents, budget${enclosingArgument(field)});`,
  );
  return add(
    emitting,
    (name) => `function ${name}(from, nextParents, budget${enclosingArgument(field)}) {
    switch (${resolveType}(from)) { ${cases.join(" ")} }
    unexpected();
  }`,
  );
}

function add(emitting: Emitting, text: (name: string) => string): string {
  const name = `f${emitting.functions.length}`;
  emitting.functions.push("");
  emitting.functions[emitting.functions.length - 1] = text(name);
  return name;
}

function constant(emitting: Emitting, value: unknown): string {
  const name = `c${emitting.names.length}`;
  emitting.names.push(name);
  emitting.values.push(value);
  return name;
}
