/** Reads an OpenAPI document as it stands: its operations, and the ways in which a schema allows a value. */
import { parse as parseYaml } from "yaml";

export type Json = Readonly<Record<string, unknown>>;

/** A byte order mark in front counts as white space. */
export const readJson = (text: string): Json =>
  (text.trimStart().startsWith("{")
    ? JSON.parse(text.trimStart())
    : parseYaml(text, { merge: true, maxAliasCount: -1 })) as Json;

/** One way in which a schema allows a value: its `$ref`s, `allOf` and `oneOf` are worked in. */
export type Way = {
  readonly types: ReadonlySet<string>;
  readonly format: unknown;
  readonly values: readonly unknown[] | undefined;
  readonly properties: Readonly<Record<string, readonly unknown[]>>;
  readonly required: ReadonlySet<string>;
  readonly items: readonly unknown[];
  readonly limits: Json;
};

const limitKeys = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
];

const methods = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace"]);

export type Found = { readonly item: Json; readonly operation: Json; readonly at: string };

export class Reader {
  readonly root: Json;
  readonly #operations: ReadonlyMap<string, Found>;

  constructor(root: Json) {
    this.root = root;
    const found = Object.entries(root.paths as Record<string, Json>).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, value]) => {
        if (!methods.has(method)) return [];
        const operation = value as Json;
        const { operationId: id = `${method.toUpperCase()} ${path}` } = operation;
        return [[String(id), { item, operation, at: `${method} ${path}` }] as const];
      }),
    );
    this.#operations = new Map(found);
  }

  operation(id: string) {
    return this.#operations.get(id);
  }

  /** The operation of this method and path, whatever its name. */
  operationAt(place: string) {
    return [...this.#operations.values()].find(({ at }) => at === place);
  }

  resolve(value: unknown): Json {
    let current = (value ?? {}) as Json;
    for (let hops = 0; typeof current.$ref === "string" && hops < 30; hops++) {
      const steps = current.$ref.split("/").slice(1);
      current = steps.reduce<unknown>(
        (at, step) =>
          (at as Json | undefined)?.[decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")],
        this.root,
      ) as Json;
      if (current === undefined) return {};
    }
    return current;
  }

  ways(schema: unknown, depth = 0): Way[] {
    const own = this.resolve(schema);
    if (depth > 12) return [];
    const named = own.type === undefined ? [] : [own.type].flat();
    const values = "const" in own ? [own.const] : Array.isArray(own.enum) ? own.enum : undefined;
    const types = new Set<string>(named as string[]);
    if (types.size === 0 && own.properties) types.add("object");
    if (types.size === 0 && values)
      for (const value of values) types.add(value === null ? "null" : typeof value);
    // a member of a schema that says no type is null by itself, or the whole is
    const isComposed = types.size === 0 && (own.allOf ?? own.oneOf ?? own.anyOf) !== undefined;
    if (own.nullable === true && !isComposed) types.add("null");
    const start: Way = {
      types,
      format: own.format,
      values: values?.filter((value) => value !== null),
      properties: Object.fromEntries(
        Object.entries((own.properties ?? {}) as Json).map(([key, value]) => [key, [value]]),
      ),
      required: new Set((own.required ?? []) as string[]),
      items: itemsOf(own),
      limits: Object.fromEntries(limitKeys.flatMap((key) => (key in own ? [[key, own[key]]] : []))),
    };
    const all = ((own.allOf ?? []) as unknown[]).map((part) => this.ways(part, depth + 1));
    const some = ["oneOf", "anyOf"].flatMap((key) =>
      Array.isArray(own[key]) ? [(own[key] as unknown[]).flatMap((part) => this.ways(part, depth + 1))] : [],
    );
    return [...all, ...some].reduce<Way[]>(
      (ways, others) =>
        ways
          .flatMap((one) => others.flatMap((other) => joined(one, other, own.nullable === true)))
          .slice(0, 200),
      [start],
    );
  }
}

/** The items of a list, or the entries of a map as `@restEntries` shows them. */
function itemsOf({ items, additionalProperties: value }: Json): unknown[] {
  if (items !== undefined) return [items];
  if (typeof value !== "object") return [];
  const properties = { key: { type: "string" }, value };
  return [{ type: "object", required: ["key", "value"], properties }];
}

/** None if no value is of both types. */
function joined(one: Way, other: Way, isNullable: boolean): Way[] {
  const types =
    one.types.size === 0 ? other.types : other.types.size === 0 ? one.types : meet(one.types, other.types);
  const isAny = one.types.size === 0 || other.types.size === 0;
  if (!isAny && types.size === 0 && !isNullable) return [];
  const properties: Record<string, readonly unknown[]> = { ...one.properties };
  for (const [key, value] of Object.entries(other.properties))
    properties[key] = [...(properties[key] ?? []), ...value];
  const way = {
    types: isNullable ? new Set([...types, "null"]) : types,
    format: one.format ?? other.format,
    values: one.values ?? other.values,
    properties,
    required: new Set([...one.required, ...other.required]),
    items: one.items.length > 0 ? one.items : other.items,
    limits: { ...other.limits, ...one.limits },
  };
  return [way];
}

const meet = (one: ReadonlySet<string>, other: ReadonlySet<string>): Set<string> =>
  new Set([...one, ...other].filter((type) => accepts(one, type) && accepts(other, type)));
export const accepts = (types: ReadonlySet<string>, type: string): boolean =>
  types.has(type) || (type === "integer" && types.has("number"));

/** Every schema of a property that several parts of an `allOf` describe is worked in. */
export const oneSchema = (schemas: readonly unknown[]): unknown =>
  schemas.length === 1 ? schemas[0] : { allOf: schemas };

/** The media type of JSON in a `content`: the plain one, another one, or a range. */
export function jsonMedia(content: Readonly<Record<string, unknown>>): string | undefined {
  const all = Object.keys(content);
  const [plain] = all.filter((media) => /^application\/json\s*(?:;|$)/.test(media));
  return (
    plain ??
    all.find((media) => /json/.test(media) && !media.includes("*")) ??
    all.find((media) => /^(?:\*|application)\/\*$/.test(media))
  );
}
