/**
 * Loads the children of many parents with one list call. The keys of the parents are de-duplicated and split into chunks, with
 * one call per chunk. Each returned item is matched to its parents by a key property. If the call of a chunk fails, only the
 * parents with a key in this chunk get an Error. A parent without a key gets null if the OpenAPI document allows a missing key
 * (`"nullableKeys"`), and an Error otherwise.
 */
import { isRounded } from "../../shared/exact-integers.ts";
import { isRecord } from "../../shared/json-object.ts";
import { own } from "../../shared/own.ts";
import { CodedError } from "../coded-error.ts";
import { Unwritable } from "./encode.ts";
import { lacksKey } from "./property.ts";

type Key = string | number;
type MaybeKey = Key | null | undefined;
type KeyOf<Keys> = Keys extends readonly (infer K)[] ? NonNullable<K> : never;
/** Set if the OpenAPI document allows parents without a key. */
type NullableKeys = "nullableKeys" | undefined;
/** `nullableKeys` allows a missing list of keys, `nullItems` allows nulls in the list. */
type NullableLists = "nullableKeys" | "nullItems";
type Fetch<K, Item> = (keys: K[]) => Promise<readonly Item[] | null | undefined> | readonly [];

/** The name or path of the property that contains an item's key. */
type MatchPath<Match extends string> = Match | readonly [Match, ...string[]];

/** An item that has the first property of the `MatchPath`. */
type Matched<Match extends string> = { readonly [Name in Match]?: unknown };

/** Maps each key to the items found for it, or to an error if they may be incomplete. */
type Found<Kept> = Map<string, Kept | Error>;

/** A function that adds an item to the items already found for a key, and returns the result. */
type Keep<Item, Kept> = (kept: Kept | undefined, item: Item) => Kept;

const keepFirst = <Item>(kept: Item | undefined, item: Item): Item => kept ?? item;

function keepAll<Item>(kept: Item[] | undefined, item: Item): Item[] {
  if (kept === undefined) return [item];
  kept.push(item);
  return kept;
}

/** Returns one item for each key, or null for a key that is missing or matches no item. */
export async function batchOne<K extends MaybeKey, const Match extends string, Item extends Matched<Match>>(
  keys: readonly K[],
  size: number,
  match: MatchPath<Match>,
  fetch: Fetch<NonNullable<K>, Item>,
  nullable?: NullableKeys,
): Promise<(Item | null | Error)[]> {
  const found = await fetchAll(keys, { size, match, fetch, keep: keepFirst<Item> });
  return keys.map((key) => (isMissing(key) ? withoutKey(nullable) : (foundFor(found, key) ?? null)));
}

/** Returns a list of items per key: an empty list if the key matches no item, null if the key is missing. */
export async function batchMany<K extends MaybeKey, const Match extends string, Item extends Matched<Match>>(
  keys: readonly K[],
  size: number,
  match: MatchPath<Match>,
  fetch: Fetch<NonNullable<K>, Item>,
  nullable?: NullableKeys,
): Promise<(Item[] | Error)[]> {
  const found = await fetchAll(keys, { size, match, fetch, keep: keepAll<Item> });
  const itemsFor = (key: K) => (isMissing(key) ? withoutKey(nullable) : (foundFor(found, key) ?? []));
  return keys.map(itemsFor) as (Item[] | Error)[];
}

/**
 * Returns a list of items per list of keys, in the order of the keys. A key that matches no item results in null; so does a
 * missing list or key if the OpenAPI document allows it.
 */
export async function batchEach<
  Keys extends readonly MaybeKey[] | null | undefined,
  const Match extends string,
  Item extends Matched<Match>,
>(
  keyLists: readonly Keys[],
  size: number,
  match: MatchPath<Match>,
  fetch: Fetch<KeyOf<Keys>, Item>,
  ...nullable: readonly NullableLists[]
): Promise<((Item | null)[] | Error | (Keys extends readonly unknown[] ? never : null))[]> {
  const missing = (kind: NullableLists) => (nullable.includes(kind) ? null : lacksKey());
  const keys = keyLists.flatMap((keys) => (Array.isArray(keys) ? (keys as KeyOf<Keys>[]) : []));
  const found = await fetchAll(keys, { size, match, fetch, keep: keepFirst<Item> });
  return keyLists.map((keys) => {
    if (isMissing(keys)) return missing("nullableKeys") as never;
    if (!Array.isArray(keys)) return lacksRequired("list");
    const items = keys.map((key) => (isMissing(key) ? missing("nullItems") : (foundFor(found, key) ?? null)));
    return items.find((item) => item instanceof Error) ?? (items as (Item | null)[]);
  });
}

const isMissing = (key: unknown): key is null | undefined => key === null || key === undefined;

const withoutKey = (nullable: NullableKeys): null | Error => (nullable ? null : lacksKey());

const lacksRequired = (what: "list" | "key"): Error =>
  new CodedError("BAD_UPSTREAM_RESPONSE", `the REST answer lacks a required ${what}`);

/**
 * Converts a key to a string. Returns `undefined` for a value that is neither a string nor a number. A number that lost digits
 * when it was parsed (`1e20`) also results in `undefined`, because it may equal the key of another item.
 */
function textOf(key: unknown): string | undefined {
  if (typeof key === "string") return key;
  return typeof key === "number" && !isRounded(key) ? String(key) : undefined;
}

/** Returns the items of a key, or an error; `undefined` if no item matches. */
function foundFor<Kept>(found: Found<Kept>, key: unknown): Kept | Error | undefined {
  const text = textOf(key);
  return text?.isWellFormed() ? found.get(text) : lacksRequired("key");
}

type Batch<K, Item, Kept> = {
  readonly size: number;
  readonly match: string | readonly string[];
  readonly fetch: Fetch<K, Item>;
  readonly keep: Keep<Item, Kept>;
};

async function fetchAll<K extends MaybeKey, Item, Kept>(
  keys: readonly K[],
  batch: Batch<NonNullable<K>, Item, Kept>,
): Promise<Found<Kept>> {
  const distinct = new Set<NonNullable<K>>();
  // a key with a lone surrogate cannot be encoded in a URL
  for (const key of keys) if (textOf(key)?.isWellFormed()) distinct.add(key as NonNullable<K>);
  const wanted = [...distinct];
  const found: Found<Kept> = new Map();
  if (wanted.length > batch.size)
    await Promise.all(chunks(wanted, batch.size).map((chunk) => fetchChunk(chunk, batch, found)));
  else if (wanted.length > 0) await fetchChunk(wanted, batch, found);
  return found;
}

async function fetchChunk<K, Item, Kept>(
  chunk: K[],
  batch: Batch<K, Item, Kept>,
  found: Found<Kept>,
): Promise<void> {
  try {
    const answer: unknown = (await batch.fetch(chunk)) ?? [];
    if (!Array.isArray(answer)) throw lacksRequired("list");
    const steps = [batch.match].flat();
    let hasItemWithoutKey = false;
    for (const item of answer as Item[]) {
      const value = keyAt(item, steps);
      const key = textOf(value);
      if (key === undefined) {
        hasItemWithoutKey ||= typeof value !== "number"; // a rounded number fails only its own parents, in `foundFor`
        continue;
      }
      const kept = found.get(key);
      if (!(kept instanceof Error)) found.set(key, batch.keep(kept, item));
    }
    if (hasItemWithoutKey) failUncertain(chunk, found);
  } catch (error) {
    const [unwritable, others] = partition(chunk, unwritableItems(error));
    for (const key of unwritable)
      found.set(
        String(key),
        new CodedError("BAD_UPSTREAM_RESPONSE", "a key from another REST response cannot be sent to REST"),
      );
    if (unwritable.length === 0)
      for (const key of chunk)
        found.set(String(key), error instanceof Error ? error : new Error(String(error)));
    else if (others.length > 0) await fetchChunk(others, batch, found);
  }
}

/** Returns the key of an item; `undefined` if a value on the path is not an object. */
const keyAt = (item: unknown, steps: readonly string[]): unknown =>
  steps.reduce((value, step) => (isRecord(value) ? own(value, step) : undefined), item);

/**
 * Called if an item has no key: it may belong to any parent. Fails the keys that this item may belong to: all keys if a key may
 * have several items; otherwise the keys for which no item was found.
 */
function failUncertain<Kept>(chunk: readonly unknown[], found: Found<Kept>): void {
  for (const key of chunk.map(String)) {
    const kept = found.get(key);
    if (kept === undefined || Array.isArray(kept)) found.set(key, lacksRequired("key"));
  }
}

/** Returns the keys that the encoder refused: only the parents with these keys fail. */
export const unwritableItems = (error: unknown): readonly unknown[] =>
  error instanceof CodedError && error.cause instanceof Unwritable ? error.cause.items : [];

function partition<K>(keys: readonly K[], refused: readonly unknown[]): [refused: K[], others: K[]] {
  const texts = new Set(refused.map(String));
  return [keys.filter((key) => texts.has(String(key))), keys.filter((key) => !texts.has(String(key)))];
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const cut: T[][] = [];
  for (let start = 0; start < items.length; start += size) cut.push(items.slice(start, start + size));
  return cut;
}
