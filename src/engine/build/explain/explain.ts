/** `restbound explain` prints the REST calls of a field or of a saved operation, with the source of each parameter. */
import { getNamedType } from "graphql";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { quoteArgument } from "../../shared/cli/printable.ts";
import { isCounted, type NextPage, type Page } from "../../shared/page.ts";
import {
  callCost,
  describeCallCount,
  describePart,
  describeWorstCase,
  listCalls,
} from "../bind/call-cost.ts";
import { suggestOperations } from "../bind/find-operation.ts";
import { enclosingTypes, formatSource } from "../bind/inputs/input-source.ts";
import { countText } from "../bind/list-length.ts";
import {
  type BoundField,
  boundFields,
  describeBatch,
  describeBatchSize,
  type Input,
  type Model,
  type PlainField,
} from "../bind/model.ts";
import { credentialUse } from "../openapi/held-credentials.ts";
import { isSafe, methodAndPath, type RestOperation } from "../openapi/operation.ts";
import type { SavedOperation } from "../schema/saved-operations.ts";

/**
 * `name`: a field coordinate, a saved operation, an `operationId`, or a method and path. Throws `UsageError` for an unknown name,
 * and for a REST operation that no field calls.
 */
export function explain(model: Model, saved: readonly SavedOperation[], name: string): string[] {
  const operation = saved.find((each) => each.name === name);
  if (operation) return explainOperation(model, operation);
  const field = model.fields.get(name);
  if (field)
    return field.kind === "bound" ? explainBoundField(model, field) : explainPlainField(model, field);
  const called = model.operations.named(name);
  if (called) return explainCalled(model, called, name);
  const names = [...model.fields.keys(), ...saved.map((each) => each.name)];
  const ofThatName = names.find((each) => each.endsWith(`.${name}`));
  const near = ofThatName
    ? `; did you mean "${ofThatName}"?`
    : suggestOperations(name, model.operations, names);
  throw new UsageError([`explain ${name}: there is no such field, saved operation or REST operation${near}`]);
}

function explainOperation(model: Model, operation: SavedOperation): string[] {
  const calls = listCalls(model, operation).flatMap((call) => {
    const { path, field, parents, calls: count, sharedWith } = call;
    const part = describePart(call.deferredIn);
    const showsParents = count.worst > 1 || parents.worst > 1;
    const forParents = `, for ${countText(parents.typical)} parents${describeWorstCase(parents.typical, parents.worst)}`;
    return [
      "",
      `${path}  (${field.coordinate})${part === undefined ? "" : `, ${part}`}`,
      ...callLines(model, field),
      `  ${sharedWith === undefined ? describeCallCount(count) : `the call of ${sharedWith}`}${showsParents ? forParents : ""}`,
    ];
  });
  return [
    `${operation.definition.operation} ${operation.name} (spec/${operation.file}:${operation.place.line})`,
    describeCallCount(callCost(model, operation)),
    ...calls,
  ];
}

const explainBoundField = (model: Model, field: BoundField): string[] => [
  field.coordinate,
  ...callLines(model, field),
  `  ${countLine(field)}`,
];

function explainCalled(model: Model, operation: RestOperation, name: string): string[] {
  const fields = boundFields(model).filter((field) => field.operation === operation);
  if (fields.length > 0)
    return fields.flatMap((field, index) => [...(index > 0 ? [""] : []), ...explainBoundField(model, field)]);
  throw new UsageError([
    `explain ${name}: no field is bound to it; npm run propose -- ${quoteArgument(name)} prints one`,
  ]);
}

function explainPlainField(model: Model, { coordinate, path, type, entries }: PlainField): string[] {
  const place =
    path.length === 0
      ? "its parent's own REST object"
      : `property "${path.join(".")}" of its parent's REST object`;
  const source = entries ? `the entries of ${place}` : place;
  const readers = [...model.fields.values()].flatMap((field) =>
    getNamedType(field.definition.type)?.name === type ? [field.coordinate] : [],
  );
  return [
    coordinate,
    `  ${source}; no REST call`,
    `  ${type} is read by ${readers.join(", ") || "an abstract type's member"}`,
  ];
}

function callLines(model: Model, field: BoundField): string[] {
  const { operation, inputs, wholeBody, result, entries, connection, batch, nullOn404, needs, keyLists } =
    field;
  return [
    `  ${[methodAndPath(operation), ...aside(operation)].join("  ")}`,
    ...credentialLines(model, operation),
    ...headerLines(model, field),
    ...inputs.map((input) => `  ${input.in} ${input.name}: ${inputSource(input, batch?.key === input)}`),
    ...(wholeBody ? [`  body: ${formatSource(wholeBody)}`] : []),
    ...(result.length > 0 ? [`  result: ${result.join(".")}`] : []),
    ...(entries ? ["  as a list of the map's entries"] : []),
    ...(connection ? [`  connection of ${connectionText(connection)}`] : []),
    ...(batch ? [`  ${describeBatch(batch)}: ${describeBatchSize(batch)}, ${batchModes[batch.mode]}`] : []),
    ...responseSources(operation),
    ...(nullOn404 ? ["  a 404 is null"] : []),
    ...(needs.length > 0
      ? [`  no call, and null, where ${needs.map(formatSource).join(" or ")} is null`]
      : []),
    ...(keyLists.length > 0
      ? [`  no call, and an empty list, where ${keyLists.map(formatSource).join(" or ")} is empty`]
      : []),
  ];
}

/**
 * Says whether a call sends the caller's or the server's credential, or is public. Returns an empty list if the server has no
 * credentials and the call is not public.
 */
function credentialLines({ held, document, calledOperations }: Model, operation: RestOperation): string[] {
  if (calledOperations.get(methodAndPath(operation))?.public)
    return ["  public: the call carries nothing of its caller, and all callers share a public response"];
  return held.size === 0
    ? []
    : credentialUse(document, held, operation).texts.map((text) => `  credential: ${text}`);
}

/**
 * Prints headers that only `credentials.yaml` sets. Declared headers are printed with the parameters.
 */
function headerLines({ calledOperations }: Model, { operation, inputs }: BoundField): string[] {
  const { headers = {} } = calledOperations.get(methodAndPath(operation)) ?? {};
  const declared = new Set(
    inputs.flatMap(({ in: at, name }) => (at === "header" ? [name.toLowerCase()] : [])),
  );
  return Object.entries(headers)
    .filter(([name]) => !declared.has(name))
    .map(([name, value]) => `  header ${name}: constant ${JSON.stringify(value)} of spec/credentials.yaml`);
}

const connectionText = ({ items, next }: Page): string =>
  `${items.join(".") || "the whole response"}, next page by ${nextPageText(next)}`;

function nextPageText(next: NextPage): string {
  if (isCounted(next)) return next.by === "offset" ? "the offset" : "the page's number";
  if (next.by === "lastItem") return `${next.at.join(".")} of the last item`;
  if (next.by === "cursor") return next.at.join(".");
  return next.at
    ? `${next.parameter} of the URL at ${next.at.join(".")}`
    : `${next.parameter} of the Link header`;
}

/**
 * Prints the possible sources of a response, for example a cache, according to the response headers that the document declares.
 * At run time, `extensions.calls` shows the actual source.
 */
function responseSources({ method, successes }: RestOperation): string[] {
  if (!isSafe(method)) return [];
  const shown = successes.filter(({ shape }) => shape);
  const names = new Set(shown.flatMap(({ headers }) => [...headers.keys()]));
  const headers = [...names].filter((name) => /^(?:cache-control|expires|etag|last-modified)$/i.test(name));
  const has = (name: RegExp): boolean => headers.some((header) => name.test(header));
  const kept = [
    ...(has(/^(?:cache-control|expires)$/i) ? ["cached"] : []),
    ...(has(/^(?:etag|last-modified)$/i) ? ["revalidated"] : []),
  ];
  const sources = ["fetched", "shared", ...kept];
  const last = sources.pop();
  return [
    `  response: ${sources.join(", ")} or ${last} (the document declares ${headers.join(", ") || "no header for caching"})`,
  ];
}

/** Prints `(operationId, product)`; omits missing values. */
function aside({ id, product, ...operation }: RestOperation): string[] {
  const named = id === methodAndPath(operation) ? [] : [id];
  const known = [...named, ...(product ? [product] : [])];
  return known.length > 0 ? [`(${known.join(", ")})`] : [];
}

const batchModes = {
  one: "one object per key",
  many: "one list per key",
  each: "an object for each of the parent's keys",
};

const inputSource = (input: Input, isBatchKey: boolean): string =>
  formatSource(input.source) +
  (input.argumentDefault === undefined ? "" : ` (default ${JSON.stringify(input.argumentDefault)})`) +
  (isBatchKey ? ", of all parents" : "") +
  (input.required ? ", required" : "");

function countLine(field: BoundField): string {
  const types = enclosingTypes(field);
  const each = types.length > 0 ? ` for each ${types.join(" and ")}` : "";
  const { batch, inputs } = field;
  if (batch && batch.key.in !== "item")
    return `1 REST call for up to ${batch.size} keys${each && `,${each}`}`;
  return !batch && inputs.some(({ source }) => source.kind === "parent")
    ? "1 REST call for each parent"
    : `1 REST call${each}`;
}
