/** Random edits of the parts of a document that bound operations reach. It reads the document as it stands. */
import type { Random } from "../build/bind/composed/schemas.ts";
import { type Json, Reader } from "./oracle/ways.ts";

type Editable = Record<string, unknown>;

export type Edit = { readonly name: string; readonly document: Json };

type Place = { readonly at: Editable; readonly path: string };

/** What the operations reach: operations, parameters, responses, schemas. */
type Reached = Record<"operation" | "parameter" | "response" | "schema", Place[]>;

type Change = {
  readonly kind: keyof Reached;
  readonly name: string;
  /** Edits the object; whether it could. */
  readonly edit: (at: Editable, random: Random) => boolean;
};

const pick = <T>(items: readonly T[], random: Random): T | undefined =>
  items[Math.floor(random() * items.length)];
const record = (value: unknown): Editable | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Editable) : undefined;

const setting =
  (key: string, make: (old: unknown, at: Editable) => unknown) =>
  (at: Editable): boolean => {
    const value = make(at[key], at);
    if (value === undefined) return false;
    at[key] = value;
    return true;
  };
const removing = (key: string) => (at: Editable) => key in at && delete at[key];

/** Takes a property out, or gives it another name. */
const moveProperty =
  (to: (name: string) => string | undefined) =>
  (at: Editable, random: Random): boolean => {
    const properties = record(at.properties);
    const name = pick(Object.keys(properties ?? {}), random);
    if (!properties || name === undefined) return false;
    const { [name]: schema } = properties;
    delete properties[name];
    const other = to(name);
    if (other !== undefined) properties[other] = schema;
    if (Array.isArray(at.required))
      at.required = at.required.flatMap((each) => (each === name ? (other ?? []) : [each]));
    return true;
  };

const others: Record<string, string> = {
  string: "integer",
  integer: "string",
  number: "string",
  boolean: "string",
  array: "string",
  object: "string",
};

const changes: readonly Change[] = [
  {
    kind: "schema",
    name: "another type",
    edit: setting("type", (old, { enum: values }) =>
      typeof old === "string" && !values ? others[old] : undefined,
    ),
  },
  { kind: "schema", name: "property removed", edit: moveProperty(() => undefined) },
  { kind: "schema", name: "property renamed", edit: moveProperty((name) => `${name}_2`) },
  { kind: "schema", name: "nothing is required", edit: removing("required") },
  {
    kind: "schema",
    name: "everything is required",
    edit: setting("required", (_, { properties }) => record(properties) && Object.keys(properties as object)),
  },
  {
    kind: "schema",
    name: "enum value added",
    edit: setting("enum", (old) =>
      Array.isArray(old) && typeof old[0] === "string" ? [...old, "one_more"] : undefined,
    ),
  },
  {
    kind: "schema",
    name: "enum value removed",
    edit: setting("enum", (old) => (Array.isArray(old) && old.length > 1 ? old.slice(1) : undefined)),
  },
  { kind: "schema", name: "enum dropped", edit: removing("enum") },
  {
    kind: "schema",
    name: "nullable",
    edit: setting("type", (old, { enum: values }) =>
      typeof old === "string" && !values ? [old, "null"] : undefined,
    ),
  },
  { kind: "schema", name: "format dropped", edit: removing("format") },
  {
    kind: "schema",
    name: "int64",
    edit: setting("format", (_, { type }) => (type === "integer" ? "int64" : undefined)),
  },
  {
    kind: "schema",
    name: "other items",
    edit: setting("items", (old) => (record(old) ? { type: "object", properties: {} } : undefined)),
  },
  {
    kind: "schema",
    name: "a list of at most 3",
    edit: setting("maxItems", (_, { type }) => (type === "array" ? 3 : undefined)),
  },
  {
    kind: "schema",
    name: "another description",
    edit: setting("description", () => "Other words."),
  },
  {
    kind: "schema",
    name: "property added",
    edit: setting("properties", (old) => record(old) && { ...record(old), one_more: { type: "string" } }),
  },
  {
    kind: "parameter",
    name: "parameter required",
    edit: setting("required", (old) => old !== true || undefined),
  },
  { kind: "parameter", name: "parameter renamed", edit: setting("name", (old) => `${old}_2`) },
  {
    kind: "parameter",
    name: "parameter of another type",
    edit: ({ schema }) => setting("type", (old) => others[String(old)])(record(schema) ?? {}),
  },
  {
    kind: "operation",
    name: "a required parameter more",
    edit: setting("parameters", (old) => [
      ...(Array.isArray(old) ? old : []),
      { name: "one_more", in: "query", required: true, schema: { type: "string" } },
    ]),
  },
  {
    kind: "operation",
    name: "an optional parameter more",
    edit: setting("parameters", (old) => [
      ...(Array.isArray(old) ? old : []),
      { name: "one_more", in: "query", schema: { type: "string" } },
    ]),
  },
  { kind: "operation", name: "another summary", edit: setting("summary", () => "Other words.") },
  {
    kind: "operation",
    name: "success moved to 202",
    edit: ({ responses }) => moveKey(record(responses), "200", "202"),
  },
  {
    kind: "operation",
    name: "success gone",
    edit: ({ responses }) => moveKey(record(responses), "200", "418"),
  },
  {
    kind: "response",
    name: "XML",
    edit: ({ content }) => moveKey(record(content), "application/json", "application/xml"),
  },
];

function moveKey(of: Editable | undefined, from: string, to: string): boolean {
  if (!of || !(from in of)) return false;
  of[to] = of[from];
  return delete of[from];
}

/** `count` documents with one edit each, all kinds of edits in turn. */
export function* edits(
  document: string,
  operations: readonly string[],
  count: number,
  random: Random,
): Generator<Edit> {
  for (let index = 0, left = count * 40; index < count && left > 0; left--) {
    const { [(count * 40 - left) % changes.length]: change } = changes;
    const edited = JSON.parse(document) as Json;
    const place = change && pick(reached(edited, operations)[change.kind], random);
    if (!change || !place?.at || !change.edit(place.at, random)) continue;
    index++;
    yield { name: `${change.name} at ${place.path}`, document: edited };
  }
}

function reached(root: Json, operations: readonly string[]): Reached {
  const reader = new Reader(root);
  const found: Reached = { operation: [], parameter: [], response: [], schema: [] };
  const seen = new Set<unknown>();
  const resolved = (value: unknown): Editable => reader.resolve(value) as Editable;
  const visit = (value: unknown, path: string): void => {
    const at = resolved(value);
    if (seen.has(at)) return;
    seen.add(at);
    found.schema.push({ at, path });
    for (const [name, each] of Object.entries(record(at.properties) ?? {})) visit(each, `${path}.${name}`);
    if (at.items) visit(at.items, `${path}[]`);
    for (const key of ["allOf", "oneOf", "anyOf"])
      for (const each of Array.isArray(at[key]) ? at[key] : []) visit(each, `${path}/${key}`);
  };
  const visitContent = ({ content }: Editable, path: string): void => {
    for (const [media, each] of Object.entries(record(content) ?? {}))
      if (/json/.test(media) && record(each)?.schema) visit(record(each)?.schema, path);
  };
  for (const id of operations) {
    const { item = {}, operation = {} } = reader.operation(id) ?? {};
    found.operation.push({ at: operation as Editable, path: id });
    for (const each of [item.parameters, operation.parameters].flat()) {
      const parameter = resolved(each);
      if (parameter.in === "query") found.parameter.push({ at: parameter, path: `${id} ${parameter.name}` });
    }
    visitContent(resolved(operation.requestBody), `${id} request`);
    for (const [status, each] of Object.entries(record(operation.responses) ?? {})) {
      if (!/^2/.test(status)) continue;
      found.response.push({ at: resolved(each), path: `${id} ${status}` });
      visitContent(resolved(each), `${id} ${status}`);
    }
  }
  return found;
}
