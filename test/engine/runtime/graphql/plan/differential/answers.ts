/**
 * The REST responses of a case: valid, missing, null, of a wrong type, or a failure. The call's arguments decide the
 * response; the time of the call does not. The order of the responses has its own seed.
 */
import {
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { CodedError } from "../../../../../../src/engine/runtime/coded-error.ts";
import { isRecord } from "../../../../../../src/engine/shared/json-object.ts";
import { hash, Random } from "../../../../../support/random.ts";
import type { RandomSchema } from "./schema.ts";

type Init = { readonly query: Readonly<Record<string, unknown>> };
type Marked = {
  readonly property?: string | readonly string[];
  readonly itself?: true;
  readonly made?: true;
};
type Rest = Record<string, unknown>;

export type Faults = {
  /** share of values that are wrong */ readonly values: number /** share of failed calls */;
  readonly calls: number;
};

/** The deepest level of REST's nested objects. */
const deepest = 3;

export class FakeRest {
  /** All calls in order. */
  readonly calls: string[] = [];
  readonly #given: RandomSchema;
  readonly #faults: Faults;
  readonly #seed: unknown;

  constructor(given: RandomSchema, faults: Faults, seed: unknown) {
    this.#given = given;
    this.#faults = faults;
    this.#seed = seed;
  }

  forField(): this {
    return this;
  }

  get(coordinate: string, init: Init): Promise<unknown> {
    return this.#call("GET", coordinate, init);
  }

  post(coordinate: string, init: Init): Promise<unknown> {
    return this.#call("POST", coordinate, init);
  }

  async #call(method: string, coordinate: string, { query }: Init): Promise<unknown> {
    const call = `${method} ${coordinate} ${JSON.stringify(query)}`;
    this.calls.push(call);
    for (let turns = hash(this.#seed, call) % 4; turns > 0; turns--) await new Promise(setImmediate);
    const { ids, ...asked } = query;
    const text = `${coordinate} ${JSON.stringify(asked)}`;
    return ids === undefined
      ? this.#single(coordinate, text)
      : this.#batch(coordinate, text, ids as unknown[]);
  }

  #single(coordinate: string, text: string): unknown {
    const random = new Random(this.#seed, text);
    this.#mayFail(random, coordinate);
    return this.#value(random, typeAt(this.#given.schema, coordinate), 0);
  }

  /**
   * The items of a key depend on the key alone. So does a failure if a chunk has one key. Items of larger chunks have their
   * keys: one without a key fails its chunk, and a plan's chunks may differ from graphql-js's.
   */
  #batch(coordinate: string, text: string, ids: readonly unknown[]): unknown {
    const link = this.#given.links.get(coordinate);
    this.#mayFail(new Random(this.#seed, text), coordinate);
    let item = bare(typeAt(this.#given.schema, coordinate));
    if (isListType(item)) item = bare(item.ofType);
    return ids.flatMap((id) => {
      const random = new Random(this.#seed, text, typeof id, id);
      if (link?.size === 1) this.#mayFail(random, coordinate);
      const count = link?.shape === "many" ? random.int(3) : random.chance(0.9) ? 1 : 0;
      return random.times(count, () => {
        let value = this.#value(random, item, 1);
        if (link?.size !== 1 && !isRecord(value)) value = {};
        if (typeof value === "object" && value !== null) (value as Rest).id = id;
        return value;
      });
    });
  }

  #mayFail(random: Random, coordinate: string): void {
    if (!random.chance(this.#faults.calls)) return;
    const code = random.pick(["UPSTREAM_ERROR", "FORBIDDEN", "NOT_FOUND", "UPSTREAM_TIMEOUT"] as const);
    if (random.chance(0.1)) throw new TypeError("a fault of ours");
    throw new CodedError(code, `${coordinate}: it failed`, random.chance(0.3) ? { retryAfter: 3 } : {});
  }

  #value(random: Random, type: GraphQLOutputType, depth: number): unknown {
    if (random.chance(this.#faults.values)) return wrong(random);
    if (isNonNullType(type)) return this.#value(random, type.ofType, depth);
    if (random.chance(0.05)) return null;
    if (isListType(type))
      return random.times(random.int(depth < 2 ? 4 : 3), () => this.#value(random, type.ofType, depth + 1));
    if (isAbstractType(type)) {
      const types = this.#given.schema.getPossibleTypes(type);
      return types.length > 0 ? this.#value(random, random.pick(types), depth) : null;
    }
    if (isObjectType(type)) return depth > deepest ? null : this.#object(random, type.name, depth, {});
    return leaf(random, type.name, isEnumType(type) ? type.getValues().map(({ value }) => value) : []);
  }

  /** All properties that the type's resolvers read. `itself` adds the properties of the other type to the same object. */
  #object(random: Random, name: string, depth: number, into: Rest, seen: readonly string[] = []): Rest {
    const { schema, links } = this.#given;
    const type = schema.getType(name);
    if (!isObjectType(type) || seen.includes(name)) return into;
    if (seen.length === 0) define(into, "kind", random.chance(this.#faults.values) ? "other" : `is-${name}`);
    if (seen.length === 0 && !random.chance(this.#faults.values)) define(into, `only-${name}`, null);
    define(into, "id", random.int(1_000));
    for (const field of Object.values(type.getFields())) {
      const { property, itself, made } = field.resolve as Marked;
      if (made) define(into, `map_${field.name}`, this.#map(random, field.type, depth + 1));
      else if (itself) this.#object(random, String(bare(field.type)), depth, into, [...seen, name]);
      else if (typeof property === "string" && !random.chance(0.02))
        define(into, property, this.#value(random, field.type, depth + 1));
      else if (typeof property === "object")
        define(into, property[0] ?? "", this.#nested(random, property.slice(1), field.type, depth + 1));
      const link = links.get(`${name}.${field.name}`);
      if (link) define(into, link.key, link.shape === "each" ? keysOf(random) : keyOf(random));
    }
    return into;
  }

  /** A map, or a list of maps: with keys that JavaScript orders, inherits or takes for its own. */
  #map(random: Random, type: GraphQLOutputType, depth: number): unknown {
    if (random.chance(this.#faults.values)) return wrong(random);
    if (random.chance(0.1)) return null;
    const items = bare(type);
    const below = isListType(items) ? bare(items.ofType) : items;
    if (isListType(below)) return random.times(2, () => this.#map(random, below, depth));
    const into: Rest = {};
    for (const key of random.some(["b", "__proto__", "10", "2", "", "constructor", "a"], 0.4, 0))
      define(into, key, this.#value(random, typeAt(this.#given.schema, "Entry.value"), depth));
    return into;
  }

  /** The object that holds a deep property, or null, or something else. */
  #nested(random: Random, [name = "", ...below]: string[], type: GraphQLOutputType, depth: number): unknown {
    if (random.chance(this.#faults.values)) return wrong(random);
    if (random.chance(0.1)) return null;
    const into: Rest = {};
    const value = () =>
      below.length > 0 ? this.#nested(random, below, type, depth) : this.#value(random, type, depth);
    if (!random.chance(0.05)) define(into, name, value());
    return into;
  }
}

/** Sets a property as JSON.parse does, `__proto__` included. */
function define(into: Rest, name: string, value: unknown): void {
  Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
}

const keyOf = (random: Random): unknown => random.pick(["k0", "k1", "k2", 3, "k4", "k5", null]);
const keysOf = (random: Random): unknown =>
  random.chance(0.1) ? null : random.times(random.int(4), () => keyOf(random));

const bare = (type: GraphQLOutputType): GraphQLOutputType => (isNonNullType(type) ? type.ofType : type);

function typeAt(schema: GraphQLSchema, coordinate: string): GraphQLOutputType {
  const [type = "", field = ""] = coordinate.split(".");
  const found = schema.getType(type);
  if (!isObjectType(found)) throw new Error(`no type ${type}`);
  return found.getFields()[field]?.type as GraphQLOutputType;
}

const wrong = (random: Random): unknown =>
  random.pick([null, undefined, "", "text", "12", 0, -0, 1.5, 2 ** 31, 2 ** 53, true, [], [null], [[1]], {}]);

function leaf(random: Random, name: string, values: readonly unknown[]): unknown {
  if (values.length > 0) return random.pick(values);
  if (name === "Int") return random.int(100) - 50;
  if (name === "Float") return random.pick([0.1, 1, -2.5, 1e21]);
  if (name === "Boolean") return random.chance(0.5);
  if (name === "ID") return random.pick(["id", 7, "", "8"]);
  if (name === "Any") return random.pick([{ deep: [{ x: null }] }, [1, "two"], "text", 5, false]);
  return random.pick(["text", "", "ünï\u2028", '"quoted"\n', "__proto__"]);
}
