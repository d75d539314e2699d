/**
 * Makes a connection from a page of REST (GraphQL Cursor Connections Specification). REST has one cursor, that of the next
 * page. The cursor of the last edge stands for it. The cursor of any other edge stands for the cursor of its own page and
 * a number of items to skip, so a page that begins there asks REST for these items again, and leaves them out. Where
 * REST's cursor may be the number of a page, cursors hold the size of the pages too: another size would move every page.
 * Where it is an offset, each edge has one of its own.
 */
import { CodedError } from "../errors.ts";
import { cursorIn, nextOf } from "./next-link.ts";
import type { TakesLink, ValueAt } from "./types.ts";
import { valueAt } from "./value-at.ts";

type PageArguments = { readonly first?: number | null; readonly after?: string | null };

/** The places of a page's values in the REST body, how REST reads on, and the sizes of pages. */
type Page<Items extends readonly string[]> = {
  /** Empty: the body is the list. */
  readonly items: Items;
  /** The place of the next page's cursor; with `link`, of its address. */
  readonly next?: readonly string[];
  /** The parameter that holds the cursor in the next page's address: that of the `Link` header, or the one at `next`. */
  readonly link?: string;
  /** The number of the first page, and the next page's is one more; or the offset at which the first page begins. */
  readonly from?: number;
  /** The next page begins at an offset, behind the items of this one. */
  readonly offset?: true;
  /** The place of the number of all items. */
  readonly total?: readonly string[];
  /** A counted page with fewer items, and fewer than were asked for, is the last one. */
  readonly full?: number;
  /** Without it, a page with a next cursor has a next page. */
  readonly more?: readonly string[];
  /** Items of a page without `first`, and the most items of a page; absent if REST has no parameter for it. */
  readonly first?: number;
  readonly most?: number;
};

type ItemAt<Body, Items extends readonly string[]> =
  NonNullable<ValueAt<Body, Items>> extends readonly (infer Item)[] ? Item : never;

/** The fields of a connection that REST does not have. Its other fields are properties of the REST body. */
type Made<Item> = {
  readonly nodes: Item[];
  readonly edges: { readonly node: Item; readonly cursor: string }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
};

/** `Omit` would lose the properties of a body that may have further ones (`additionalProperties`). */
export type Connection<Body, Item> = {
  [Key in keyof Body as Exclude<Key, keyof Made<Item>>]: Body[Key];
} & Made<Item>;

/**
 * The place where a page begins: after `skip` items of the REST page with this cursor. No cursor: the first page. `size`
 * is that of REST's pages, where the cursor depends on it.
 */
type Start = { readonly cursor: string | null; readonly skip: number; readonly size?: number | undefined };

/** `load` gets the arguments in REST's terms. Throws `BAD_USER_INPUT` for a cursor that is not of this function. */
export async function connection<
  const Args extends PageArguments,
  Body extends object | null,
  const Items extends readonly string[],
>(
  args: Args,
  page: Page<Items>,
  load: (args: Args, link: NonNullable<TakesLink["link"]>) => Promise<Body>,
): Promise<Connection<NonNullable<Body>, ItemAt<NonNullable<Body>, Items>> | Extract<Body, null>> {
  const start = startAt(args, page);
  let header: string | string[] | undefined;
  const first = page.from === undefined ? null : String(page.from);
  // an argument that is left out has no value, also where every object inherits its name (`valueOf`)
  const own = { __proto__: null, ...args, ...sizeOf(args, page, start), after: start.cursor ?? first };
  const body = await load(own, (link) => {
    header = link;
  });
  if (typeof body !== "object" || body === null) return body as never;
  const sent = valueAt(body, page.items);
  const next = nextCursor(args, page, body, sent, start, header);
  return made(args, page, body, sent, start, next) as never;
}

/**
 * The size of a page that begins inside another. A cursor with a size says it. Otherwise the skipped items count among
 * those that REST sends, and REST sends no more than `most`.
 */
function sizeOf(
  args: PageArguments,
  { first, most }: Page<readonly string[]>,
  { skip, size }: Start,
): PageArguments {
  if (size !== undefined && args.after != null) return { first: size };
  if (skip === 0 || first === undefined) return {};
  return { first: Math.min((args.first ?? first) + skip, most ?? Number.MAX_SAFE_INTEGER) };
}

/** REST's cursor of the next page; empty on the last one. */
function nextCursor(
  args: PageArguments,
  { next: path, link, from = 0, offset, full = 0, first = 0, more, total }: Page<readonly string[]>,
  body: object,
  sent: unknown,
  { cursor, size }: Start,
  header: string | string[] | undefined,
): string {
  if (path) {
    const next = valueAt(body, path) ?? "";
    if (typeof next !== "string" && typeof next !== "number")
      throw new CodedError("BAD_UPSTREAM_RESPONSE", "the next cursor is neither text nor a number");
    return link === undefined || next === "" ? String(next) : cursorIn(String(next), link);
  }
  if (link !== undefined) return nextOf(header, link);
  const count = Array.isArray(sent) ? sent.length : 0;
  const behind = Number(cursor ?? from) + (offset ? count : 1);
  const all = total && valueAt(body, total);
  const isShort = count === 0 || count < Math.min(size ?? args.first ?? first, full);
  const isEnd = typeof all === "number" ? count === 0 || behind - from >= all : isShort;
  // no offset leads on from an empty page
  const isLast = more ? valueAt(body, more) !== true || behind === Number(cursor ?? from) : isEnd;
  return isLast ? "" : String(behind);
}

/** `edges` and `pageInfo` are made when they are read: a selection of `nodes` pays for neither. */
function made(
  { first, after }: PageArguments,
  page: Page<readonly string[]>,
  body: object,
  sent: unknown,
  start: Start,
  next: string,
): object {
  const { skip, size } = start;
  const isCut = size !== undefined && after != null; // REST's page may be longer than what is asked for
  const end = isCut ? skip + Math.max(0, first ?? page.first ?? size) : undefined;
  const nodes = Array.isArray(sent) ? sent.slice(skip, end) : sent;
  const count = Array.isArray(nodes) ? nodes.length : 0;
  const isWhole = !Array.isArray(sent) || skip + count >= sent.length;
  const more = page.from === undefined ? page.more && (valueAt(body, page.more) ?? undefined) : undefined;
  const cursorAt = (index: number): string =>
    page.offset
      ? cursorOf({ cursor: String(Number(start.cursor ?? page.from) + index + 1), skip: 0 })
      : isWhole && index === count - 1 && next !== ""
        ? cursorOf({ cursor: next, skip: 0, size })
        : cursorOf({ cursor: start.cursor, skip: skip + index + 1, size });
  const behind = isWhole ? (next === "" ? null : cursorOf({ cursor: next, skip: 0, size })) : after;
  return {
    ...(Array.isArray(body) ? undefined : body),
    nodes,
    get edges() {
      return Array.isArray(nodes) ? nodes.map((node, index) => ({ node, cursor: cursorAt(index) })) : nodes;
    },
    get pageInfo() {
      return {
        hasNextPage: isWhole ? (more ?? next !== "") : true,
        hasPreviousPage: (after ?? null) !== null,
        startCursor: count > 0 ? cursorAt(0) : null,
        endCursor: count > 0 ? cursorAt(count - 1) : behind,
      };
    },
  };
}

const cursorOf = ({ cursor, skip, size }: Start): string =>
  Buffer.from(`${skip}${size === undefined ? "" : `/${size}`}:${cursor ?? ""}`).toString("base64url");

/** Characters of a cursor. REST's own stands in a URL, which servers take up to about this length. */
const maxLength = 8_192;

function startAt({ first, after }: PageArguments, page: Page<readonly string[]>): Start {
  const isSized =
    (page.next === undefined || page.link !== undefined) && !page.offset && page.first !== undefined;
  if (after === undefined || after === null)
    return { cursor: null, skip: 0, ...(isSized && { size: Math.max(1, first ?? page.first ?? 1) }) };
  const text = after.length > maxLength ? "" : Buffer.from(after, "base64url").toString();
  const [, skip = "", size, cursor = ""] = /^(0|[1-9]\d{0,8})(?:\/([1-9]\d{0,9}))?:(.*)$/s.exec(text) ?? [];
  const start = {
    cursor: cursor || null,
    skip: Number(skip),
    ...(size !== undefined && { size: Number(size) }),
  };
  const fits =
    (size !== undefined) === isSized &&
    Number(size ?? 0) <= (page.most ?? 2 ** 31 - 1) &&
    (page.from === undefined || /^\d{0,15}$/.test(cursor)) &&
    (!page.offset || start.skip === 0);
  const isSomewhere = start.skip > 0 || start.cursor !== null;
  if (text !== "" && fits && isSomewhere && cursorOf(start) === after) return start;
  throw new CodedError(
    "BAD_USER_INPUT",
    'argument "after" must be a cursor that this field gave: an `endCursor`, or the `cursor` of an edge',
    { argument: "after" },
  );
}
