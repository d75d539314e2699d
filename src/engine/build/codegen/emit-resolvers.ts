/**
 * Emits `generated/resolvers.ts`: one expression for each field, in schema order, below a comment with the field's REST binding.
 */
import { getNamedType } from "graphql";
import type { Page } from "../../shared/page.ts";
import {
  type EnclosingSource,
  formatSource,
  type InheritedSource,
  isInheritedSource,
  type ParentSource,
} from "../bind/inputs/input-source.ts";
import {
  type AbstractType,
  type Batch,
  type BoundField,
  describeBatch,
  type Model,
  type ModelField,
  type PlainField,
} from "../bind/model.ts";
import type { RequestValue } from "../bind/requests/rest-request.ts";
import { isItemMethod, methodAndPath } from "../openapi/operation.ts";
import { boundRoots } from "../schema/object-types.ts";
import { conversionFunction, requestExpression } from "./emit-inputs.ts";
import { restFunctions, type TypeNames } from "./type-names.ts";
import {
  comment,
  literal,
  objectKey,
  objectLiteral,
  propertyAccess,
  read,
  withoutTextAndComments,
} from "./typescript-text.ts";

export function emitResolvers(model: Model, typeNames: TypeNames): string {
  const types = Map.groupBy(model.fields.values(), ({ type }) => type);
  const conversions = model.inputConversions.map((input) => conversionFunction(typeNames, input));
  const objects = [...types].map(([type, fields]) => emitType(model, typeNames, type, fields));
  const abstracts = [...model.abstracts.values()].map((abstract) => emitAbstract(typeNames, abstract));
  const enums = [...model.enums].map(([name, values]) => emitEnum(typeNames, name, values));
  const body = [...conversions, ...objects, ...abstracts, ...enums].join("\n\n");
  return `${imports(model, typeNames, [...types.keys()], body)}\n\n${body}\n`;
}

function emitType(model: Model, typeNames: TypeNames, type: string, fields: readonly ModelField[]): string {
  const keys = model.references.flatMap((reference) => (reference.type === type ? reference.keys : []));
  const external = new Set(keys.flatMap(({ path, isOptional }) => (isOptional ? path : [])));
  const lines = fields.map((field) =>
    field.kind === "bound"
      ? `${comment(boundText(field))}\n${field.definition.name}: ${boundResolver(model, field)},`
      : `${plainComment(field)}${field.definition.name}: ${external.has(field.definition.name) ? `external(${literal(field.path[0])})` : plainResolver(field)},`,
  );
  const own = typeNames.ofResolvers(type);
  const isRoot = boundRoots(model.schema).some(({ name }) => name === type);
  const resolvers = isRoot ? `Required<${own}>` : own;
  return exported(typeNames, type, lines.join("\n"), resolvers);
}

function boundText({ coordinate, operation, batch, entries }: BoundField): string {
  const { id } = operation;
  const at = methodAndPath(operation);
  const aside = [
    ...(id === at ? [] : [id]),
    ...(entries ? ["entries"] : []),
    ...(batch ? [describeBatch(batch)] : []),
  ];
  return `${coordinate} → ${at}${aside.length > 0 ? ` (${aside.join(", ")})` : ""}`;
}

const plainComment = ({ coordinate, definition, path, entries }: PlainField): string =>
  path.length === 1 && path[0] === definition.name && !entries
    ? ""
    : `${comment(`${coordinate} ← ${entries ? "the entries of " : ""}${path.join(".") || "its parent's own object"}`)}\n`;

/** Returns the function of `src/engine/runtime/rest/property.ts` that reads the field's property. */
const readerOf = ({ path, entries }: PlainField): string =>
  entries ? "entries" : path.length === 0 ? "itself" : path.length === 1 ? "property" : "propertyAt";

const plainResolver = (field: PlainField): string =>
  readerOf(field) === "itself"
    ? "itself"
    : `${readerOf(field)}(${field.path.map((step) => literal(step)).join(", ")})`;

/** Exports the resolvers of a type under its GraphQL name, through an alias if a constant cannot have this name. */
function exported(typeNames: TypeNames, type: string, lines: string, resolvers: string): string {
  const name = typeNames.of(type);
  const value = `const ${name} = {\n${lines}\n} satisfies ${resolvers};`;
  return name === type ? `export ${value}` : `${value}\nexport { ${name} as ${type} };`;
}

function emitAbstract(typeNames: TypeNames, { name, property, members, otherwise }: AbstractType): string {
  const names = [...members].map(([value, type]) => `${objectKey(value)}: ${literal(type)}`).join(", ");
  const chooser =
    property === undefined
      ? "resolveTypeByProperty(parent"
      : `resolveTypeByValue(${read("parent", [property])}`;
  const line = `__resolveType: (parent) => ${chooser}, { ${names} }${otherwise === undefined ? "" : `, ${literal(otherwise)}`}),`;
  return exported(
    typeNames,
    name,
    `${comment(`chosen by ${property ?? "the property that it has"}`)}\n${line}`,
    typeNames.ofResolvers(name),
  );
}

function emitEnum(typeNames: TypeNames, name: string, values: ReadonlyMap<string, string>): string {
  const entries = [...values].map(([value, rest]) => `${value}: ${literal(rest)},`);
  const text = exported(typeNames, name, entries.join("\n"), typeNames.ofResolvers(name));
  return `${comment(`${name}: GraphQL name → REST value`)}\n${text}`;
}

/** Imports what `body` uses: functions of `restbound/rest`, and the types of the resolvers and conversions. */
function imports(model: Model, typeNames: TypeNames, types: readonly string[], body: string): string {
  const used = new Set(withoutTextAndComments(body).match(/(?<![\w$.])(?:\w+(?=\()|itself(?=,))/g));
  const called = restFunctions.filter((name) => used.has(name));
  const line = called.length > 0 ? `import { ${called.join(", ")} } from "restbound/rest";\n` : "";
  const inputs = new Set(model.inputConversions.map(({ type }) => typeNames.of(type)));
  const resolvers = [...types, ...model.abstracts.keys(), ...model.enums.keys()];
  const names = [...inputs, ...resolvers.map((name) => typeNames.ofResolvers(name))];
  return `${line}import type { ${names.sort().join(", ")} } from "./graphql.ts";`;
}

/** Name of the parameter for the keys of a batched call. */
const keysName = "keys";

/** The function of `src/engine/runtime/rest/batch.ts` for each batch mode. */
const batchFunctions = { one: "batchOne", many: "batchMany", each: "batchEach" } as const;

/**
 * Prints the resolver of a bound field. The printed code wraps a batched call in `level`. A call that needs an ancestor's value
 * is wrapped in `inheriting`, or in `inheritingLevel` if it is also batched.
 */
function boundResolver({ nullOnlyWithoutCall }: Model, field: BoundField): string {
  if (field.batch) return levelResolver(field, field.batch, restCall(field));
  const needed = field.needs.filter(({ kind }) => kind === "parent");
  const missing = needed.map(({ path }) => nullTest(path)).join(" || ");
  const isNeverNull = nullOnlyWithoutCall.has(field.coordinate) && !field.connection;
  const called = restCall(field, isNeverNull ? (answer) => `neverNull(${answer})` : undefined);
  const call = missing ? `${missing} ? null : ${called}` : called;
  const value = field.connection ? connectionCall(field.connection, call) : call;
  const resolve = `${parameters(field, "parent")} => ${value}`;
  return isInheriting(field) ? inheritingCall("inheriting", field, resolve) : resolve;
}

/** Prints a comparison such as `parent.x == null`. A call of a helper function would not narrow the type of `parent.x`. */
const nullTest = (path: readonly string[]): string =>
  [...new Set([read("parent", path, true), propertyAccess("parent", path, true)])]
    .map((value) => `${value} == null`)
    .join(" || ");

const inheritedSources = ({ inputs }: BoundField): InheritedSource[] =>
  inputs.flatMap(({ source }) => (isInheritedSource(source) ? [source] : []));

const isInheriting = (field: BoundField): boolean => inheritedSources(field).length > 0;

/** Prints `inheriting({ "Account.id": ["Account", "id"] }, resolve)`. A third argument lists the sources that may be null. */
function inheritingCall(name: string, field: BoundField, resolve: string): string {
  const sources = new Map(inheritedSources(field).map((source) => [formatSource(source), source]));
  const entries = [...sources].map(([written, source]) => [written, typePathText(source)] as const);
  const nullable = [...sources].flatMap(([written, source]) => (source.nullable ? [written] : []));
  const last = nullable.length > 0 ? [list(nullable)] : [];
  return `${name}(${[objectLiteral(entries), resolve, ...last].join(", ")})`;
}

/** Prints `["Account", "id"]`, or `["argsAbove", "org", "ID"]` for an outer field's argument. */
const typePathText = (source: InheritedSource): string =>
  source.kind === "enclosing"
    ? list([source.type, ...source.path])
    : list(["argsAbove", ...source.path, getNamedType(source.type).name]);

const list = (texts: readonly string[]): string => `[${texts.map((text) => literal(text)).join(", ")}]`;

function levelResolver(field: BoundField, batch: Batch, call: string): string {
  const { key, match, size, mode, nullItems } = batch;
  const keys = `parents.map((parent) => ${read("parent", key.source.path, true)})`;
  const fetch = `(${key.in === "item" ? "" : keysName}) => ${call}`;
  const nullable = [
    ...(key.source.nullable ? [literal("nullableKeys")] : []),
    ...(nullItems ? [literal("nullItems")] : []),
  ];
  const [step = "", ...deeper] = match;
  const matched = deeper.length === 0 ? literal(step) : list(match);
  const resolve = `${parameters(field, "parents")} => ${batchFunctions[mode]}(${[keys, size, matched, fetch, ...nullable].join(", ")})`;
  return isInheriting(field) ? inheritingCall("inheritingLevel", field, resolve) : `level(${resolve})`;
}

/** Prints `(parent, args, { rest })`, with an underscore before a parameter that the expression does not use. */
function parameters(field: BoundField, parent: "parent" | "parents"): string {
  const sources = [
    ...field.inputs.map(({ source }) => source),
    ...(field.wholeBody ? [field.wholeBody] : []),
  ];
  const usesParent = parent === "parents" || sources.some(({ kind }) => kind === "parent");
  const usesArguments = sources.some(({ kind }) => kind === "argument");
  const inherited = isInheriting(field) ? ", inherited" : "";
  return `(${usesParent ? parent : `_${parent}`}, ${usesArguments ? "args" : "_args"}, { rest }${inherited})`;
}

/** `checked` wraps only the REST call, not the test for an empty list of keys. */
function restCall(field: BoundField, checked = (answer: string): string => answer): string {
  const { request, operation, result, connection, entries, keyLists } = field;
  const parts = request.parts.map((part) => {
    if ("whole" in part) return [part.in, valueExpression(field, part.whole)] as const;
    const entries = part.entries.map(({ name, value }) => [name, valueExpression(field, value)] as const);
    return [part.in, objectLiteral(entries)] as const;
  });
  const sections = connection?.next.by === "link" ? [...parts, ["link", "link"] as const] : parts;
  const init = sections.length > 0 ? [objectLiteral(sections)] : result.length > 0 ? ["{}"] : [];
  const steps = result.map((step) => literal(step));
  const args = [literal(operation.path), ...init, ...steps];
  const call = isItemMethod(operation.method)
    ? `rest.${request.method}(${args.join(", ")})`
    : `rest.send(${[literal(operation.method), ...args].join(", ")})`;
  const answer = checked(entries ? `entriesFrom(${call})` : call);
  const lists = keyLists.map((source) => `isEmptyList(${objectValue(source)})`);
  return lists.length > 0 ? `${lists.join(" || ")} ? [] : ${answer}` : answer;
}

/** Prints a value of the parent object, or of an object further up in the query. */
const objectValue = (source: ParentSource | EnclosingSource): string =>
  source.kind === "parent"
    ? read("parent", source.path, true)
    : propertyAccess("inherited", [formatSource(source)]);

/** Wraps a call in `connection`. In the call, `args` has REST's cursor and page size; `link` is the next page's URL. */
const connectionCall = (page: Page, call: string): string =>
  `connection(args, ${objectLiteral(Object.entries(page).map(([name, value]) => [name, literal(value)]))}, ${page.next.by === "link" ? "(args, link)" : "(args)"} => ${call})`;

function valueExpression(
  { needs }: BoundField,
  { source, sent, isRequired, isUntyped }: RequestValue,
): string {
  if (source === "keys") return keysName;
  if (source.kind === "constant") return literal(source.value);
  if (source.kind === "tenant") return "rest.tenant";
  if (isInheritedSource(source))
    return requestExpression(sent, propertyAccess("inherited", [formatSource(source)]));
  const isOwn = source.kind === "argument" || needs.includes(source);
  const value = isOwn
    ? propertyAccess(source.kind === "argument" ? "args" : "parent", source.path, source.nullable)
    : read("parent", source.path, true);
  const expression = requestExpression(sent, isRequired ? `required(${value})` : value);
  return isUntyped ? `untyped(${expression})` : expression;
}
