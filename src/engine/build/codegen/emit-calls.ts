/**
 * The expression of a bound field: its REST call, inside `level` and a batch function if the field is batched, and inside
 * `inheriting` or `inheritingLevel` if it takes values from enclosing objects.
 */
import { getNamedType } from "graphql";
import type { Page } from "../../shared/page.ts";
import { formatSource, type InheritedSource, isInheritedSource } from "../bind/inputs/input-source.ts";
import type { Batch, BoundField } from "../bind/model.ts";
import type { RequestValue } from "../bind/requests/rest-request.ts";
import { requestExpression } from "./emit-inputs.ts";
import { literal, objectLiteral, propertyAccess, read } from "./typescript-text.ts";

const keysName = "keys";

/** The function of `src/engine/runtime/rest/batch.ts` for each mode. */
const batchFunctions = { one: "batchOne", many: "batchMany", each: "batchEach" } as const;

export function boundResolver(field: BoundField): string {
  if (field.batch) return levelResolver(field, field.batch, restCall(field));
  const needed = field.needs.filter(({ kind }) => kind === "parent");
  const missing = needed.map(({ path }) => nullTest(path)).join(" || ");
  // TypeScript forgets outside of a function that `parent.x` is not null, so the test stands beside the call
  const call = missing ? `${missing} ? null : ${restCall(field)}` : restCall(field);
  const value = field.connection ? connectionCall(field.connection, call) : call;
  const resolve = `${parameters(field, "parent")} => ${value}`;
  return isInheriting(field) ? inheritingCall("inheriting", field, resolve) : resolve;
}

/** TypeScript learns from a property that it is not null, and nothing from a function that reads it. */
const nullTest = (path: readonly string[]): string =>
  [...new Set([read("parent", path, true), propertyAccess("parent", path, true)])]
    .map((value) => `${value} == null`)
    .join(" || ");

const inheritedSources = ({ inputs }: BoundField): InheritedSource[] =>
  inputs.flatMap(({ source }) => (isInheritedSource(source) ? [source] : []));

const isInheriting = (field: BoundField): boolean => inheritedSources(field).length > 0;

/** `inheriting({ "Account.id": ["Account", "id"] }, resolve)`, with the sources that may be null behind. */
function inheritingCall(name: string, field: BoundField, resolve: string): string {
  const sources = new Map(inheritedSources(field).map((source) => [formatSource(source), source]));
  const entries = [...sources].map(([written, source]) => [written, typePathText(source)] as const);
  const nullable = [...sources].flatMap(([written, source]) => (source.nullable ? [written] : []));
  const last = nullable.length > 0 ? [list(nullable)] : [];
  return `${name}(${[objectLiteral(entries), resolve, ...last].join(", ")})`;
}

/** `["Account", "id"]`, or `["argsAbove", "org", "ID"]`. */
const typePathText = (source: InheritedSource): string =>
  source.kind === "enclosing"
    ? list([source.type, ...source.path])
    : list(["argsAbove", ...source.path, getNamedType(source.type).name]);

const list = (texts: readonly string[]): string => `[${texts.map((text) => literal(text)).join(", ")}]`;

function levelResolver(field: BoundField, { key, match, size, mode }: Batch, call: string): string {
  const keys = `parents.map((parent) => ${read("parent", key.source.path, key.source.nullable)})`;
  const fetch = `(${key.in === "item" ? "" : keysName}) => ${call}`;
  const resolve = `${parameters(field, "parents")} => ${batchFunctions[mode]}(${keys}, ${size}, ${literal(match)}, ${fetch})`;
  return isInheriting(field) ? inheritingCall("inheritingLevel", field, resolve) : `level(${resolve})`;
}

/** `(parent, args, { rest })`, with an underscore before each of them that the expression does not use; `inherited` last. */
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

function restCall(field: BoundField): string {
  const { request, operation, result, connection, entries } = field;
  const parts = request.parts.map((part) => {
    if ("whole" in part) return [part.in, valueExpression(field, part.whole)] as const;
    const entries = part.entries.map(({ name, value }) => [name, valueExpression(field, value)] as const);
    return [part.in, objectLiteral(entries)] as const;
  });
  const sections = connection?.link !== undefined ? [...parts, ["link", "link"] as const] : parts;
  const init = sections.length > 0 ? [objectLiteral(sections)] : result.length > 0 ? ["{}"] : [];
  const steps = result.map((step) => literal(step));
  const call = `rest.${request.method}(${[literal(operation.path), ...init, ...steps].join(", ")})`;
  return entries ? `entriesFrom(${call})` : call;
}

/** The inner `args` are in REST's terms: its cursor, and the items that it must send. `link` takes the next page's address. */
const connectionCall = (page: Page, call: string): string =>
  `connection(args, ${objectLiteral(Object.entries(page).map(([name, value]) => [name, literal(value)]))}, ${page.link !== undefined ? "(args, link)" : "(args)"} => ${call})`;

function valueExpression({ needs }: BoundField, { source, sent, isUntyped }: RequestValue): string {
  if (source === "keys") return keysName;
  if (source.kind === "constant") return literal(source.value);
  if (isInheritedSource(source))
    return requestExpression(sent, propertyAccess("inherited", [formatSource(source)]));
  const isOwn = source.kind === "argument" || needs.includes(source);
  const value = isOwn
    ? propertyAccess(source.kind === "argument" ? "args" : "parent", source.path, source.nullable)
    : read("parent", source.path, source.nullable);
  const expression = requestExpression(sent, value);
  return isUntyped ? `untyped(${expression})` : expression;
}
