/**
 * Says which bound fields a new version of a document breaks or endangers. It reads the two documents and the SDL as they
 * stand, and shares no code with `src/`: it holds the comparison of `npm run check` to account.
 */
import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  type NamedTypeNode,
  parse,
  type TypeNode,
} from "graphql";
import { parse as parseYaml } from "yaml";

type Json = Readonly<Record<string, unknown>>;

export const readJson = (text: string): Json =>
  (text.trimStart().startsWith("{")
    ? JSON.parse(text)
    : parseYaml(text, { merge: true, maxAliasCount: -1 })) as Json;

/** One way in which a schema allows a value: its `$ref`s, `allOf` and `oneOf` are worked in. */
type Way = {
  readonly types: ReadonlySet<string>;
  readonly format: unknown;
  readonly values: readonly unknown[] | undefined;
  readonly properties: Readonly<Record<string, readonly unknown[]>>;
  readonly required: ReadonlySet<string>;
  readonly items: readonly unknown[];
  readonly limits: Json;
};

const limitKeys = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"],
  ...["pattern", "minItems", "maxItems", "uniqueItems"],
];

type Found = { readonly item: Json; readonly operation: Json; readonly at: string };

class Reader {
  readonly root: Json;
  readonly #operations: ReadonlyMap<string, Found>;

  constructor(root: Json) {
    this.root = root;
    const found = Object.entries(root.paths as Record<string, Json>).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) => {
        const id = (operation as Json)?.operationId;
        return typeof id === "string"
          ? [[id, { item, operation: operation as Json, at: `${method} ${path}` }] as const]
          : [];
      }),
    );
    this.#operations = new Map(found);
  }

  operation(id: string) {
    return this.#operations.get(id);
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
    if (own.nullable === true) types.add("null");
    const start: Way = {
      types,
      format: own.format,
      values: values?.filter((value) => value !== null),
      properties: Object.fromEntries(
        Object.entries((own.properties ?? {}) as Json).map(([key, value]) => [key, [value]]),
      ),
      required: new Set((own.required ?? []) as string[]),
      items: own.items === undefined ? [] : [own.items],
      limits: Object.fromEntries(limitKeys.flatMap((key) => (key in own ? [[key, own[key]]] : []))),
    };
    const all = ((own.allOf ?? []) as unknown[]).map((part) => this.ways(part, depth + 1));
    const some = ["oneOf", "anyOf"].flatMap((key) =>
      Array.isArray(own[key]) ? [(own[key] as unknown[]).flatMap((part) => this.ways(part, depth + 1))] : [],
    );
    return [...all, ...some].reduce<Way[]>(
      (ways, others) =>
        ways.flatMap((one) => others.map((other) => joined(one, other, own.nullable === true))).slice(0, 200),
      [start],
    );
  }
}

function joined(one: Way, other: Way, isNullable: boolean): Way {
  const types =
    one.types.size === 0 ? other.types : other.types.size === 0 ? one.types : meet(one.types, other.types);
  const properties: Record<string, readonly unknown[]> = { ...one.properties };
  for (const [key, value] of Object.entries(other.properties))
    properties[key] = [...(properties[key] ?? []), ...value];
  return {
    types: isNullable ? new Set([...types, "null"]) : types,
    format: one.format ?? other.format,
    values: one.values ?? other.values,
    properties,
    required: new Set([...one.required, ...other.required]),
    items: one.items.length > 0 ? one.items : other.items,
    limits: { ...other.limits, ...one.limits },
  };
}

const meet = (one: ReadonlySet<string>, other: ReadonlySet<string>): Set<string> =>
  new Set([...one, ...other].filter((type) => accepts(one, type) && accepts(other, type)));
const accepts = (types: ReadonlySet<string>, type: string): boolean =>
  types.has(type) || (type === "integer" && types.has("number"));

/** Every schema of a property that several parts of an `allOf` describe is worked in. */
const oneSchema = (schemas: readonly unknown[]): unknown =>
  schemas.length === 1 ? schemas[0] : { allOf: schemas };

const directive = (field: FieldDefinitionNode, name: string): ConstDirectiveNode | undefined =>
  field.directives?.find((each) => each.name.value === name);
function argument(of: ConstDirectiveNode | undefined, name: string): string | undefined {
  const value = of?.arguments?.find((each) => each.name.value === name)?.value;
  return value?.kind === Kind.STRING ? value.value : undefined;
}
type Page = Readonly<Partial<Record<"items" | "next" | "more" | "total" | "pages", string>>>;

/** The values of `connection`, as the schema writes them. */
function connectionOf(rest: ConstDirectiveNode | undefined): Page | undefined {
  const value = rest?.arguments?.find(({ name }) => name.value === "connection")?.value;
  if (value?.kind !== Kind.OBJECT) return undefined;
  return Object.fromEntries(
    value.fields.flatMap((each) =>
      "value" in each.value ? [[each.name.value, String(each.value.value)]] : [],
    ),
  );
}

/** Each schema once. */
const unique = (schemas: readonly unknown[]): unknown[] => [
  ...new Map(schemas.map((each) => [JSON.stringify(each), each])).values(),
];
const restName = (field: FieldDefinitionNode): string =>
  argument(directive(field, "restName"), "name") ?? field.name.value;
const namedType = (type: TypeNode): NamedTypeNode =>
  type.kind === Kind.NAMED_TYPE ? type : namedType(type.type);

export class Oracle {
  /** Coordinates of fields whose value may be another than before. */
  readonly changed = new Set<string>();
  readonly #old: Reader;
  readonly #new: Reader;
  readonly #sdl: DocumentNode;
  readonly #seen = new Set<string>();

  constructor(sdl: string, before: Json, after: Json) {
    this.#sdl = parse(sdl);
    this.#old = new Reader(before);
    this.#new = new Reader(after);
    for (const root of ["Query", "Mutation"]) for (const field of this.#fields(root)) this.#root(root, field);
  }

  /** A field stands for itself; a field of an input object for the root fields that take it. */
  fieldsOf(coordinate: string): string[] {
    const [type = ""] = coordinate.split(".");
    const isInput = this.#sdl.definitions.some(
      (each) => each.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && each.name.value === type,
    );
    if (!isInput) return [coordinate];
    const roots = ["Query", "Mutation"].flatMap((root) =>
      this.#fields(root).map((field) => ({ root, field })),
    );
    return roots
      .filter(({ field }) =>
        field.arguments?.some((each) => this.#reaches(namedType(each.type).name.value, type)),
      )
      .map(({ root, field }) => `${root}.${field.name.value}`);
  }

  #reaches(from: string, to: string, seen = new Set<string>()): boolean {
    if (from === to || seen.has(from)) return from === to;
    seen.add(from);
    return this.#sdl.definitions.some(
      (each) =>
        each.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION &&
        each.name.value === from &&
        each.fields?.some((field) => this.#reaches(namedType(field.type).name.value, to, seen)),
    );
  }

  /** Every field, so that shares can be taken of it. */
  get coordinates(): string[] {
    return this.#sdl.definitions.flatMap((each) =>
      each.kind === Kind.OBJECT_TYPE_DEFINITION || each.kind === Kind.OBJECT_TYPE_EXTENSION
        ? (each.fields ?? []).map((field) => `${each.name.value}.${field.name.value}`)
        : [],
    );
  }

  #fields(type: string): FieldDefinitionNode[] {
    return this.#sdl.definitions.flatMap((each) =>
      (each.kind === Kind.OBJECT_TYPE_DEFINITION || each.kind === Kind.OBJECT_TYPE_EXTENSION) &&
      each.name.value === type
        ? [...(each.fields ?? [])]
        : [],
    );
  }

  #root(type: string, field: FieldDefinitionNode): void {
    const rest = directive(field, "rest");
    const coordinate = `${type}.${field.name.value}`;
    const id = argument(rest, "operation") ?? "";
    const [before, after] = [this.#old.operation(id), this.#new.operation(id)];
    if (!before) return;
    if (!after || before.at !== after.at || this.#requestDiffers(before, after)) this.changed.add(coordinate);
    if (!after) return;
    const [old, now] = [this.#answer(this.#old, before.operation), this.#answer(this.#new, after.operation)];
    if ((old === undefined) !== (now === undefined)) this.changed.add(coordinate);
    if (old === undefined || now === undefined) return;
    const page = connectionOf(rest);
    if (page) {
      const both = [this.#connection(this.#old, old, page), this.#connection(this.#new, now, page)] as const;
      // the cursor, or the header that stands for it
      const [was, is] = [
        this.#readsOn(this.#old, before.operation, old, page),
        this.#readsOn(this.#new, after.operation, now, page),
      ];
      if (was !== is) this.changed.add(coordinate);
      return this.#value(coordinate, field.type, [both[0]], [both[1]]);
    }
    const steps = argument(rest, "result")?.split(".") ?? [];
    if (steps.length === 0) this.#value(coordinate, field.type, [old], [now]);
    else this.#steps(coordinate, field.type, steps, [old], [now]);
  }

  /** The schemas at a path of an answer; at no path the answer itself. */
  #below(reader: Reader, answer: unknown, path: string | undefined): unknown[] {
    return (path?.split(".") ?? []).reduce<unknown[]>(
      (schemas, step) =>
        schemas.flatMap((schema) =>
          reader
            .ways(schema)
            .flatMap((way) => (way.properties[step] ? [oneSchema(way.properties[step])] : [])),
        ),
      [answer],
    );
  }

  /** The schema of what a connection shows: the page with its nodes, their edges and the page's place. */
  #connection(reader: Reader, answer: unknown, { items }: Page): unknown {
    const lists = this.#below(reader, answer, items);
    const mayMiss = items
      ?.split(".")
      .some((_, index, steps) =>
        this.#below(reader, answer, steps.slice(0, index).join(".") || undefined).some((schema) =>
          reader.ways(schema).some(({ required }) => !required.has(steps[index] ?? "")),
        ),
      );
    const text = { type: "string" };
    const flag = { type: "boolean" };
    const nodes = lists.flatMap((list) => reader.ways(list).flatMap((way) => way.items));
    const edge = {
      type: "object",
      required: ["node", "cursor"],
      properties: { node: oneSchema(nodes), cursor: text },
    };
    const place = { hasNextPage: flag, hasPreviousPage: flag, startCursor: text, endCursor: text };
    const made = {
      type: "object",
      required: ["pageInfo", ...(mayMiss ? [] : ["nodes", "edges"])],
      properties: {
        ...(lists.length > 0 && { nodes: oneSchema(lists), edges: { type: "array", items: edge } }),
        pageInfo: { type: "object", required: ["hasNextPage", "hasPreviousPage"], properties: place },
      },
    };
    return items === undefined ? made : { allOf: [answer, made] };
  }

  /** What the document says about the way to the next page, as text. */
  #readsOn(reader: Reader, operation: Json, answer: unknown, { next, more, total, pages }: Page): string {
    const typesAt = (path: string | undefined): unknown[] =>
      path === undefined
        ? []
        : this.#below(reader, answer, path).flatMap((schema) =>
            reader.ways(schema).map(({ types }) => [...types].filter((type) => type !== "null")),
          );
    const linked = Object.entries((operation.responses ?? {}) as Json).some(
      ([status, response]) =>
        status.startsWith("2") &&
        Object.keys((reader.resolve(response).headers ?? {}) as Json).some((name) => /^link$/i.test(name)),
    );
    return JSON.stringify([typesAt(next), typesAt(more), typesAt(total), pages === "LINKED" && linked]);
  }

  #steps(
    coordinate: string,
    type: TypeNode,
    steps: readonly string[],
    old: readonly unknown[],
    now: readonly unknown[],
  ): void {
    const [step = "", ...rest] = steps;
    const below = (reader: Reader, schemas: readonly unknown[]): unknown[] =>
      schemas.flatMap((schema) =>
        reader.ways(schema).flatMap((way) => (way.properties[step] ? [oneSchema(way.properties[step])] : [])),
      );
    const mayMiss = (reader: Reader, schemas: readonly unknown[]): boolean =>
      schemas.some((schema) => reader.ways(schema).some((way) => !way.required.has(step)));
    if (!mayMiss(this.#old, old) && mayMiss(this.#new, now)) this.changed.add(coordinate);
    const [before, after] = [below(this.#old, old), below(this.#new, now)];
    if (before.length > 0 && after.length === 0) this.changed.add(coordinate);
    if (rest.length > 0) this.#steps(coordinate, type, rest, before, after);
    else this.#value(coordinate, type, before, after);
  }

  #answer(reader: Reader, operation: Json): unknown {
    const answers = Object.entries((operation.responses ?? {}) as Json).filter(([status]) =>
      status.startsWith("2"),
    );
    for (const [, answer] of answers) {
      const content = (reader.resolve(answer).content ?? {}) as Record<string, Json>;
      const media = Object.keys(content).find((each) => /json/.test(each));
      if (media !== undefined) return content[media]?.schema ?? {};
    }
    return undefined;
  }

  /** A response may promise more, and never less. */
  #value(coordinate: string, type: TypeNode, old: readonly unknown[], now: readonly unknown[]): void {
    const [before, after] = [
      unique(old).flatMap((each) => this.#old.ways(each)),
      unique(now).flatMap((each) => this.#new.ways(each)),
    ];
    if (this.#allowsMore(before, after)) this.changed.add(coordinate);
    // what stands below a value that is gone is told by that value
    if (before.length === 0 || after.length === 0) return;
    const items = (ways: readonly Way[]): unknown[] => ways.flatMap(({ items: each }) => each);
    const list = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    if (list.kind === Kind.LIST_TYPE) return this.#value(coordinate, list.type, items(before), items(after));
    const { value: owner } = namedType(type).name;
    const members = this.#members(owner);
    // a union has no type for a further member: each field that is one cannot show it
    if (members.length > 0 && after.length > before.length) this.changed.add(coordinate);
    const key = JSON.stringify([owner, unique(old), unique(now)]);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    for (const member of members) {
      const own = (ways: readonly Way[]): Way[] => ways.filter((way) => this.#isOf(member, way));
      this.#object(member, own(before), own(after));
    }
    if (members.length === 0) this.#object(owner, before, after);
  }

  #object(owner: string, before: readonly Way[], after: readonly Way[]): void {
    for (const field of this.#fields(owner)) {
      if (directive(field, "rest")) continue;
      this.#property(`${owner}.${field.name.value}`, field.type, restName(field), before, after);
    }
  }

  #members(union: string): string[] {
    return this.#sdl.definitions.flatMap((each) =>
      each.kind === Kind.UNION_TYPE_DEFINITION && each.name.value === union
        ? (each.types ?? []).map(({ name }) => name.value)
        : [],
    );
  }

  /** A value of this way is one of the type if it has all of the type's properties. */
  #isOf(type: string, { properties }: Way): boolean {
    return this.#fields(type).every((field) => directive(field, "rest") || restName(field) in properties);
  }

  #property(
    coordinate: string,
    type: TypeNode,
    name: string,
    before: readonly Way[],
    after: readonly Way[],
  ): void {
    const objects = (ways: readonly Way[]): Way[] =>
      ways.filter(({ types }) => types.size === 0 || types.has("object"));
    const [old, now] = [objects(before), objects(after)];
    const schemas = (ways: readonly Way[]): unknown[] =>
      ways.flatMap(({ properties: { [name]: each } }) => (each ? [oneSchema(each)] : []));
    const [was, is] = [schemas(old), schemas(now)];
    const isNull = (ways: readonly Way[], reader: Reader, found: readonly unknown[]): boolean =>
      ways.some(({ required }) => !required.has(name)) ||
      found.some((each) => reader.ways(each).some(({ types }) => types.has("null")));
    const isGoneFromSome = is.length < now.length && was.length === old.length;
    if (was.length > 0 && (is.length === 0 || isGoneFromSome)) {
      this.changed.add(coordinate);
      // what stands below a value that some objects have no more is told by that value
      return;
    }
    if (!isNull(old, this.#old, was) && isNull(now, this.#new, is)) this.changed.add(coordinate);
    this.#value(coordinate, type, was, is);
  }

  #allowsMore(before: readonly Way[], after: readonly Way[]): boolean {
    if (before.length === 0 || after.length === 0) return before.length !== after.length;
    const types = (ways: readonly Way[]): Set<string> =>
      ways.some(({ types: each }) => each.size === 0)
        ? new Set()
        : new Set(ways.flatMap(({ types: each }) => [...each]));
    const [old, now] = [types(before), types(after)];
    old.delete("null");
    now.delete("null");
    if (old.size > 0 && (now.size === 0 || [...now].some((type) => !accepts(old, type)))) return true;
    const wide = (ways: readonly Way[]): boolean => ways.some(({ format }) => format === "int64");
    if (!wide(before) && wide(after)) return true;
    const enums = (ways: readonly Way[]): unknown[] | undefined =>
      ways.every(({ values }) => values) ? ways.flatMap(({ values }) => values ?? []) : undefined;
    const [listed, listedNow] = [enums(before), enums(after)];
    return (
      listed !== undefined && (listedNow === undefined || listedNow.some((value) => !listed.includes(value)))
    );
  }

  /** A request may demand less, and never more. What surrounds it, such as its product, is to stay. */
  #requestDiffers(before: Found, after: Found): boolean {
    const [old, now] = [this.#parameters(this.#old, before), this.#parameters(this.#new, after)];
    const around = ({ operation }: Found): string =>
      JSON.stringify([[operation.tags].flat()[0], "404" in ((operation.responses ?? {}) as Json)]);
    if (around(before) !== around(after)) return true;
    const credentials = ({ operation }: Found, { root }: Reader): string[] =>
      ((operation.security ?? root.security ?? []) as unknown[]).map((each) => JSON.stringify(each));
    const asked = credentials(after, this.#new);
    if (credentials(before, this.#old).some((each) => asked.length > 0 && !asked.includes(each))) return true;
    for (const [key, parameter] of now) {
      const was = old.get(key);
      if (parameter.required === true && was?.required !== true) return true;
      if (was && (was.style !== parameter.style || was.explode !== parameter.explode)) return true;
      const fallback = (reader: Reader, { schema }: Json): string =>
        JSON.stringify(reader.resolve(schema).default);
      if (was && fallback(this.#old, was) !== fallback(this.#new, parameter)) return true;
      if (was && !this.#takes([was.schema], [parameter.schema], 8)) return true;
    }
    if ([...old.keys()].some((key) => !now.has(key))) return true;
    const [sent, taken] = [this.#body(this.#old, before), this.#body(this.#new, after)];
    if (sent === undefined || taken === undefined) return sent !== undefined || taken?.required === true;
    return (taken.required && !sent.required) || !this.#takes([sent.schema], [taken.schema], 8);
  }

  #parameters(reader: Reader, { item, operation }: Found): Map<string, Json> {
    const all = [item, operation].flatMap(({ parameters }) => (parameters ?? []) as unknown[]);
    const resolved = all.map((each) => reader.resolve(each));
    return new Map(resolved.map((each) => [`${each.in} ${each.name}`, each]));
  }

  #body(reader: Reader, { operation }: Found): { required: boolean; schema: unknown } | undefined {
    const body = reader.resolve(operation.requestBody);
    const content = Object.entries((body.content ?? {}) as Record<string, Json>).find(([media]) =>
      /json/.test(media),
    );
    return content && { required: body.required === true, schema: content[1].schema };
  }

  /** Whether each way of the old schemas is one of the new ones, as far as a value shows it. */
  #takes(old: readonly unknown[], now: readonly unknown[], depth: number): boolean {
    if (depth === 0 || old.length === 0 || now.length === 0) return true;
    const after = now.flatMap((each) => this.#new.ways(each));
    return old
      .flatMap((each) => this.#old.ways(each))
      .every((one) => after.some((other) => this.#takesWay(one, other, depth)));
  }

  #takesWay(one: Way, other: Way, depth: number): boolean {
    const isWithin = (types: ReadonlySet<string>): boolean =>
      types.size === 0 || (one.types.size > 0 && [...one.types].every((type) => accepts(types, type)));
    if (!isWithin(other.types)) return false;
    if (other.values && !(one.values?.every((value) => other.values?.includes(value)) ?? false)) return false;
    if ([...other.required].some((name) => !one.required.has(name))) return false;
    if (JSON.stringify(one.limits) !== JSON.stringify(other.limits)) return false;
    if (one.format !== other.format) return false;
    if (!this.#takes(one.items, other.items, depth - 1)) return false;
    return Object.entries(one.properties).every(([name, schemas]) => {
      const now = other.properties[name];
      return now !== undefined && this.#takes([oneSchema(schemas)], [oneSchema(now)], depth - 1);
    });
  }
}
