/**
 * Random schemas whose links take values from random enclosing types, and arguments of fields above. The check must refuse
 * exactly the links that some path reaches without such an object or field, and a plan must agree with a plain recursive
 * resolver that carries its ancestors along. `INHERITANCE` sets the number of schemas.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Project } from "../../../../../src/engine/build/project/project.ts";
import { folderFiles } from "../../../../../src/engine/build/project/spec-files.ts";
import { hash, Random } from "../../../../support/random.ts";
import { seed } from "../../../../support/seed.ts";
import { execute, openPair } from "../pairs.ts";
import { documentText, type Field, operationOf, randomFields, schemaText } from "./random-fields.ts";

const schemas = Number(process.env.INHERITANCE ?? 6);
const queries = 25;
/** The links that a path reaches without the type, or without the argument: every path from a root is walked, no type twice. */
function reachedAround(fields: readonly Field[]): Set<string> {
  const found = new Set<string>();
  const walk = (type: string, way: readonly string[], hasArgument: boolean): void => {
    for (const field of fields.filter(({ owner }) => owner === type)) {
      if (field.inherits && field.inherits !== type && !way.slice(0, -1).includes(field.inherits))
        found.add(`${type}.${field.name}`);
      if (field.takesArgument && !hasArgument) found.add(`${type}.${field.name}`);
      if (!way.includes(field.target))
        walk(field.target, [...way, field.target], hasArgument || field.hasArgument === true);
    }
  };
  walk("Query", ["Query"], false);
  return found;
}

type RestObject = {
  readonly id: string;
  readonly key: string | null;
  readonly note: unknown;
  readonly strict: unknown;
  readonly [name: string]: unknown;
};

/** REST: few ids, a value here and there that breaks the contract, so that objects of one id stand below many others, and equal calls give one and the same object. */
class FakeRest {
  readonly #fields: readonly Field[];
  readonly #kept = new Map<string, unknown>();

  constructor(fields: readonly Field[]) {
    this.#fields = fields;
  }

  forField(): this {
    return this;
  }

  object(type: string, seed: number, depth: number, id = String(seed % 5)): RestObject {
    const nested = this.#fields.filter(({ owner, kind }) => owner === type && kind === "plain");
    const values = nested.map(
      (field) => [field.name, this.#value(field, hash(seed, field.name), depth + 1)] as const,
    );
    const key = seed % 4 === 0 ? null : String(hash(seed, "key") % 5);
    const note = seed % 9 === 0 ? "no number" : seed % 100;
    const strict = seed % 11 === 0 ? null : 1;
    return Object.freeze({ id, key, note, strict, ...Object.fromEntries(values) });
  }

  #value({ target, isList }: Field, seed: number, depth: number): unknown {
    if (depth > 2) return isList ? [] : null;
    if (!isList) return seed % 6 === 0 ? null : this.object(target, seed, depth);
    return Object.freeze(
      [1, 2, 3].slice(seed % 3).map((item) => this.object(target, hash(seed, item), depth)),
    );
  }

  call(
    field: Field,
    query: { own?: string; ids?: string[]; from?: string; above?: string; x?: string | null },
  ): unknown {
    const { own, ids, from, above, x } = query;
    const key = JSON.stringify([operationOf(field), own, ids, from, above, x ?? null]);
    // a batch gives each key what a call for it alone would give
    const one = (id: string) =>
      (field.isList ? [1, 2] : [1]).map((item) =>
        this.object(field.target, hash(operationOf(field), id, from, above, x ?? "", item), 0, id),
      );
    const value =
      this.#kept.get(key) ??
      (ids ? ids.flatMap(one) : this.#value(field, hash(operationOf(field), own, from, above, x ?? ""), 0));
    this.#kept.set(key, value);
    return value;
  }
}

type Selection = {
  readonly key: string;
  readonly field: Field;
  /** The value of `x`; undefined: none is given. */
  readonly x?: string;
  readonly below: readonly Selection[];
};

function randomSelection(random: Random, fields: readonly Field[], type: string, depth: number): Selection[] {
  const own = fields.filter(({ owner }) => owner === type);
  const chosen =
    type === "Query" ? random.some(own, 0.6, 1) : depth > 5 ? [] : random.some(own, depth < 3 ? 0.6 : 0.3);
  return chosen.flatMap((field) =>
    random.times(depth < 2 && random.chance(0.2) ? 2 : 1, (index) => ({
      key: index === 0 ? field.name : `${field.name}_${index}`,
      field,
      ...(field.hasArgument && random.chance(0.8) && { x: random.pick(["p", "q", "r"]) }),
      below: randomSelection(random, fields, field.target, depth + 1),
    })),
  );
}

const textOf = (selection: readonly Selection[], type: string): string =>
  `{ ${type === "Query" ? "" : "id note strict "}${selection
    .map(
      ({ key, field, x, below }) =>
        `${key === field.name ? "" : `${key}: `}${field.name}${x === undefined ? "" : `(x: "${x}")`} ${textOf(below, field.target)}`,
    )
    .join(" ")} }`;

const countOf = (selection: readonly Selection[]): number =>
  selection.reduce((sum, { below }) => sum + 1 + countOf(below), 0);

/** A selection within the limits of an operation. */
function smallSelection(random: Random, fields: readonly Field[]): Selection[] {
  for (;;) {
    const selection = randomSelection(random, fields, "Query", 0);
    if (countOf(selection) <= 40) return selection;
  }
}

/**
 * The oracle: each object is resolved alone, with the objects around it in a list. `broken` collects the paths at which a
 * call returns the null that its document forbids.
 */
function resolve(
  rest: FakeRest,
  type: string,
  object: RestObject | undefined,
  around: readonly (readonly [type: string, object: RestObject])[],
  above: string | undefined,
  selection: readonly Selection[],
  path: readonly (string | number)[],
  broken: string[],
): object | null {
  if (object && object.strict === null) return null;
  const result: Record<string, unknown> = object
    ? { id: object.id, strict: object.strict, note: typeof object.note === "number" ? object.note : null }
    : {};
  for (const { key, field, x, below } of selection) {
    const from = around.findLast(([name]) => name === field.inherits)?.[1].id;
    const inherited = {
      ...(from !== undefined && { from }),
      ...(field.takesArgument && { above: above as string }),
      ...(x !== undefined && { x }),
    };
    const next = field.hasArgument ? x : above;
    const within = object ? [...around, [type, object] as const] : around;
    const show = (value: unknown, at: readonly (string | number)[]): unknown =>
      Array.isArray(value)
        ? value.map((item, index) => show(item, [...at, index]))
        : value && resolve(rest, field.target, value as RestObject, within, next, below, at, broken);
    const value = (): unknown => {
      if (field.kind === "plain") return object?.[field.name];
      if (field.takesArgument && above === undefined) return null; // without a call
      if (field.kind === "root" || field.kind === "link") {
        const own = field.kind === "link" ? { own: object?.id ?? "" } : {};
        const found = rest.call(field, { ...own, ...inherited });
        if (found === null) broken.push([...path, key].join("."));
        return found;
      }
      if (!object?.key) return null;
      const found = rest.call(field, { ids: [object.key], ...inherited }) as unknown[];
      return field.isList ? found : found[0];
    };
    result[key] = show(value(), [...path, key]);
  }
  return result;
}

let inherited = 0;
let taken = 0;

test.each(Array.from({ length: schemas }, (_, index) => index))("schema %i", async (index) => {
  const random = new Random("inheritance", seed, index);
  const folder = mkdtempSync(join(tmpdir(), "inheritance-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (fields: readonly Field[]) => {
    writeFileSync(join(folder, "schema.graphql"), schemaText(fields));
    writeFileSync(join(folder, "openapi.yaml"), documentText(fields));
    return new Project(folderFiles(folder)).diagnostics.filter(({ severity }) => severity === "error");
  };

  const proposed = randomFields(random).map(
    ({ inherits, ...field }): Field =>
      inherits === undefined || inherits === field.owner ? field : { ...field, inherits },
  );
  const around = reachedAround(proposed);
  const refused = new Set<string>();
  const kept = (): Field[] =>
    proposed.map(({ inherits, takesArgument, ...field }) =>
      refused.has(`${field.owner}.${field.name}`)
        ? field
        : { ...field, ...(inherits !== undefined && { inherits }), ...(takesArgument && { takesArgument }) },
    );
  // what stands below a refused link may be bound, and refused, only once that link is right
  for (let found = write(kept()); found.length > 0; found = write(kept())) {
    // where no field at all has the argument, the source itself is wrong
    for (const { rule } of found)
      expect(["enclosing-missing", "source-invalid", "parameter-unfed"]).toContain(rule);
    for (const { coordinate } of found) refused.add(coordinate);
  }
  expect(refused).toEqual(around);
  const fields = kept();
  const byPath = new Map(fields.map((field) => [`/${operationOf(field)}`, field]));
  const rest = new FakeRest(fields);
  const get = async (path: unknown, init: unknown) => {
    const query = (init as { query?: object } | undefined)?.query ?? {};
    if ("from" in query) inherited++;
    if ("above" in query) taken++;
    return rest.call(byPath.get(String(path)) as Field, query);
  };
  const pair = await openPair(folder);
  for (let asked = 0; asked < queries; asked++) {
    const selection = smallSelection(random, fields);
    const query = textOf(selection, "Query");
    const broken: string[] = [];
    const expected = resolve(rest, "Query", undefined, [], undefined, selection, [], broken);
    const { data, errors = [] } = await execute(pair, { query }, { get });
    expect(data, query).toEqual(expected);
    // below an object that `strict` makes null, the oracle resolves nothing and the plan may report nulls too
    const ofCalls = errors.filter(({ path }) => !["note", "strict"].includes(String(path?.at(-1))));
    expect(ofCalls.filter(({ path }) => !/^(?:root|link)\d/.test(String(path?.at(-1))))).toEqual([]);
    expect(ofCalls.map(({ path }) => path?.join("."))).toEqual(expect.arrayContaining(broken));
  }
});

test("values and arguments were inherited", () =>
  expect(Math.min(inherited, taken)).toBeGreaterThan(5 * schemas));
