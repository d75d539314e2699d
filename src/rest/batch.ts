/**
 * Many parents, one list call: keys are collected, de-duplicated and cut into chunks, the answers matched back by a
 * property. A chunk that fails is an Error for its own parents alone.
 */
import { CodedError } from "../errors.ts";

type Key = string | number;
type MaybeKey = Key | null | undefined;
type Fetch<K, Item> = (keys: K[]) => Promise<readonly Item[] | null | undefined>;

/** An item has the property that answers are matched by. */
type Matched<Match extends string> = { readonly [Name in Match]?: unknown };

/** What each key came to: the items that match it, or why its chunk failed. */
type Found<Item> = Map<string, Item[] | Error>;

/** One object a key; null without a key or without an answer. */
export async function batchOne<K extends MaybeKey, const Match extends string, Item extends Matched<Match>>(
  keys: readonly K[],
  size: number,
  match: Match,
  fetch: Fetch<NonNullable<K>, Item>,
): Promise<(Item | null | Error)[]> {
  const found = await fetchAll(keys, size, match, fetch);
  return keys.map((key) => first(foundFor(found, key)));
}

/** A list a key, empty without answers; null without a key. */
export async function batchMany<K extends MaybeKey, const Match extends string, Item extends Matched<Match>>(
  keys: readonly K[],
  size: number,
  match: Match,
  fetch: Fetch<NonNullable<K>, Item>,
): Promise<(Item[] | Error)[]>;
export async function batchMany<K extends MaybeKey, const Match extends string, Item extends Matched<Match>>(
  keys: readonly K[],
  size: number,
  match: Match,
  fetch: Fetch<NonNullable<K>, Item>,
): Promise<(Item[] | null | Error)[]> {
  const found = await fetchAll(keys, size, match, fetch);
  return keys.map((key) => foundFor(found, key));
}

/** The parent holds a list of keys: the list of their objects in its order, null where there is no answer. */
export async function batchEach<K extends MaybeKey, const Match extends string, Item extends Matched<Match>>(
  keyLists: readonly (readonly K[] | null | undefined)[],
  size: number,
  match: Match,
  fetch: Fetch<NonNullable<K>, Item>,
): Promise<((Item | null)[] | null | Error)[]> {
  const found = await fetchAll(
    keyLists.flatMap((keys) => (Array.isArray(keys) ? (keys as K[]) : [])),
    size,
    match,
    fetch,
  );
  return keyLists.map((keys) => {
    if (keys === null || keys === undefined) return null;
    if (!Array.isArray(keys)) return notA("list");
    const items = (keys as K[]).map((key) => first(foundFor(found, key)));
    return items.find((item) => item instanceof Error) ?? (items as (Item | null)[]);
  });
}

/** REST broke its contract with this parent; the others are not to pay for it. */
const notA = (what: "list" | "key"): Error =>
  new CodedError("BAD_UPSTREAM_RESPONSE", `the REST answer has no ${what} where one belongs`);

/** What REST's type promises of a key; anything else may not even turn into text, nor half a character into a URL. */
const isKey = (key: unknown): key is Key =>
  typeof key === "string" ? key.isWellFormed() : typeof key === "number";

/** What a key came to; null without a key. */
function foundFor<Item>(found: Found<Item>, key: unknown): Item[] | null | Error {
  if (isKey(key)) return found.get(String(key)) ?? [];
  return key === null || key === undefined ? null : notA("key");
}

const first = <Item>(items: Item[] | null | Error): Item | null | Error =>
  items instanceof Error ? items : (items?.[0] ?? null);

async function fetchAll<K extends MaybeKey, const Match extends string, Item extends Matched<Match>>(
  keys: readonly K[],
  size: number,
  match: Match,
  fetch: Fetch<NonNullable<K>, Item>,
): Promise<Found<Item>> {
  const distinct = new Set<NonNullable<K>>();
  for (const key of keys) if (isKey(key)) distinct.add(key as NonNullable<K>);
  const wanted = [...distinct];
  const found: Found<Item> = new Map();
  if (wanted.length > size)
    await Promise.all(chunks(wanted, size).map((chunk) => fetchChunk(chunk, match, fetch, found)));
  else if (wanted.length > 0) await fetchChunk(wanted, match, fetch, found);
  return found;
}

async function fetchChunk<K, const Match extends string, Item extends Matched<Match>>(
  chunk: K[],
  match: Match,
  fetch: Fetch<K, Item>,
  found: Found<Item>,
): Promise<void> {
  try {
    const answer: unknown = (await fetch(chunk)) ?? [];
    if (!Array.isArray(answer)) throw notA("list");
    for (const item of answer as Item[]) {
      const value = (item as Item | null)?.[match];
      if (!isKey(value)) continue;
      const key = String(value);
      const items = found.get(key);
      if (items === undefined) found.set(key, [item]);
      else if (Array.isArray(items)) items.push(item);
    }
  } catch (error) {
    for (const key of chunk)
      found.set(String(key), error instanceof Error ? error : new Error(String(error)));
  }
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const cut: T[][] = [];
  for (let start = 0; start < items.length; start += size) cut.push(items.slice(start, start + size));
  return cut;
}
