/** Compares the requests of one operation in two documents. */
import { accepts, type Found, type Json, jsonMedia, oneSchema, type Reader, type Way } from "./ways.ts";

export class Requests {
  /**
   * Whether the last comparison dropped a format, or the values by which members are told apart: REST takes all that it
   * took, and an argument of a type that stands for the format, or a field that stands for a member, must become another.
   */
  isLoosened = false;
  readonly #old: Reader;
  readonly #new: Reader;

  constructor(old: Reader, now: Reader) {
    this.#old = old;
    this.#new = now;
  }

  /** A request may demand less, and never more. What surrounds it, such as its product, is to stay. */
  differ(before: Found, after: Found, isGiven: (parameter: string) => boolean): boolean {
    this.isLoosened = false;
    const old = this.#parameters(this.#old, before);
    const now = this.#parameters(this.#new, after);
    // what a read does not find may be null; of a mutation it is an error, documented or not
    const around = ({ operation, at }: Found): string =>
      JSON.stringify([
        [operation.tags].flat()[0],
        at.startsWith("get ") && "404" in ((operation.responses ?? {}) as Json),
      ]);
    if (around(before) !== around(after)) return true;
    const credentials = ({ operation }: Found, { root }: Reader): string[] =>
      ((operation.security ?? root.security ?? []) as unknown[]).map((each) => JSON.stringify(each));
    const asked = credentials(after, this.#new);
    if (credentials(before, this.#old).some((each) => asked.length > 0 && !asked.includes(each))) return true;
    for (const [key, parameter] of now) {
      const was = old.get(key);
      if (parameter.required === true && was?.required !== true && !isGiven(String(parameter.name)))
        return true;
      if (was && (was.style !== parameter.style || was.explode !== parameter.explode)) return true;
      const fallback = (reader: Reader, { schema }: Json): string =>
        JSON.stringify(reader.resolve(schema).default);
      if (was && fallback(this.#old, was) !== fallback(this.#new, parameter)) return true;
      if (was && !this.#takes([was.schema], [parameter.schema], 8)) return true;
    }
    if ([...old.keys()].some((key) => !now.has(key))) return true;
    const sent = this.#body(this.#old, before);
    const taken = this.#body(this.#new, after);
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
    const content = (body.content ?? {}) as Record<string, Json>;
    const media = jsonMedia(content);
    return media === undefined
      ? undefined
      : { required: body.required === true, schema: content[media]?.schema };
  }

  /** Whether each way of the old schemas is one of the new ones, as far as a value shows it. */
  #takes(old: readonly unknown[], now: readonly unknown[], depth: number): boolean {
    if (depth === 0 || old.length === 0 || now.length === 0) return true;
    const before = old.flatMap((each) => this.#old.ways(each));
    const after = now.flatMap((each) => this.#new.ways(each));
    if (before.length > 1 && telling(this.#old, before) !== telling(this.#new, after)) this.isLoosened = true;
    return before.every((one) => after.some((other) => this.#takesWay(one, other, depth)));
  }

  #takesWay(one: Way, other: Way, depth: number): boolean {
    const isWithin = (types: ReadonlySet<string>): boolean =>
      types.size === 0 || (one.types.size > 0 && [...one.types].every((type) => accepts(types, type)));
    if (!isWithin(other.types)) return false;
    if (other.values && !(one.values?.every((value) => other.values?.includes(value)) ?? false)) return false;
    if ([...other.required].some((name) => !one.required.has(name))) return false;
    if (JSON.stringify(one.limits) !== JSON.stringify(other.limits)) return false;
    // an `Int` is of every width, and text is not
    if (other.format === undefined ? one.format !== undefined : other.format === "int64")
      this.isLoosened = true;
    else if (one.format !== other.format) return false;
    if (!this.#takes(one.items, other.items, depth - 1)) return false;
    return Object.entries(one.properties).every(([name, schemas]) => {
      const now = other.properties[name];
      return now !== undefined && this.#takes([oneSchema(schemas)], [oneSchema(now)], depth - 1);
    });
  }
}

/** The properties of each member that have some values alone. */
const telling = (reader: Reader, members: readonly Way[]): string =>
  JSON.stringify(
    members.map(({ properties }) =>
      Object.keys(properties).filter((name) =>
        reader.ways(oneSchema(properties[name] ?? [])).every(({ values }) => values),
      ),
    ),
  );
