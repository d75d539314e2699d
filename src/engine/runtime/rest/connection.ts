/**
 * Makes a connection from a page of REST (GraphQL Cursor Connections Specification). REST has one cursor, that of the
 * next page. The cursor of the last edge holds that cursor. The cursor of any other edge holds the cursor of
 * its own page and a number of items to skip. So a page that begins there asks REST for these items again, and leaves
 * them out. If REST's cursor may be the number of a page, cursors hold the size of the pages too: another size would
 * move every page. If REST's cursor is an offset, each edge has its own offset. If pages have numbers, a total
 * and no size that the client chooses, cursors hold the number of items before the page. If REST's cursor is the id of the last
 * item, it is read from that item.
 */
import { Dictionary } from "../../shared/own.ts";
import type { Page } from "../../shared/page.ts";
import { CodedError } from "../coded-error.ts";
import type { TakesLink, ValueAt } from "./openapi-types.ts";
import { cursorFromUrl, nextLinkCursor } from "./paging/next-link.ts";
import { cursorOf, type PageArguments, type PageStart, startAt } from "./paging/page.ts";
import { isEmptyList, valueAt } from "./property.ts";

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
 * `load` gets the arguments in REST's terms. Without a call to make, it returns null or, for an empty page, `[]`. Throws `BAD_USER_INPUT`
 * for a cursor that is not of this function.
 */
export async function connection<
  const Args extends PageArguments,
  Body extends object | null,
  const Items extends readonly string[],
>(
  args: Args,
  page: Page<Items>,
  load: (args: Args, link: NonNullable<TakesLink["link"]>) => Promise<Body> | readonly [] | null,
): Promise<Connection<NonNullable<Body>, ItemAt<NonNullable<Body>, Items>> | Extract<Body, null>> {
  const start = startAt(args, page);
  let linked = "";
  const first = page.from === undefined ? null : String(page.from);
  const asked = Object.assign(new Dictionary(), args, sizeOf(args, page, start), {
    after: start.cursor ?? first,
  });
  const loaded = load(asked, (header, value) => {
    linked = linkedCursor(page, header, value);
  });
  if (Array.isArray(loaded)) return buildConnection(args, page, {}, [], start, "") as never;
  const body = await loaded;
  if (body === null || body === undefined) return body as never;
  if (typeof body !== "object") throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is not a page");
  checkParts(body, page);
  const sent = valueAt(body, page.items);
  const next = page.link === undefined ? nextCursor(args, page, body, sent, start) : linked;
  checkProgress(page, body, start, next);
  return buildConnection(args, page, body, sent, start, next) as never;
}

/** Throws for a page that is not the last one and leads to no other page: a client that follows it would never end. */
function checkProgress(
  { more, from, offset, items }: Page,
  body: object,
  { cursor }: PageStart,
  next: string,
): void {
  const isMore = more && from === undefined ? valueAt(body, more) : undefined;
  if (typeof (isMore ?? false) !== "boolean")
    throw new CodedError(
      "BAD_UPSTREAM_RESPONSE",
      "the answer does not say by a boolean whether there is a next page",
    );
  if (
    more &&
    from !== undefined &&
    !offset &&
    valueAt(body, more) === true &&
    isEmptyList(valueAt(body, items))
  )
    throw new CodedError(
      "BAD_UPSTREAM_RESPONSE",
      "the answer says that there is a next page, but the page is empty",
    );
  if (isMore === true && next === "")
    throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer says that there is a next page, but not which");
  if (isMore !== false && next !== "" && next === cursor)
    throw new CodedError("BAD_UPSTREAM_RESPONSE", "the next cursor is that of the page itself");
}

/** Throws for a part of the page that its document requires, whether or not the client selects it. */
function checkParts(body: object, page: Page): void {
  for (const part of page.required ?? []) {
    const value = valueAt(body, page[part] ?? []);
    if (value === null || value === undefined || (part === "items" && !Array.isArray(value)))
      throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer lacks a value that a page needs");
  }
}

/**
 * The size of a page that begins inside another. A cursor may hold it. Otherwise the skipped items count among
 * those that REST sends, and REST sends no more than `most`.
 */
function sizeOf(args: PageArguments, { first, most }: Page, { skip, size }: PageStart): PageArguments {
  if (size !== undefined && args.after != null) return { first: size };
  if (skip === 0 || first === undefined) return {};
  return { first: Math.min((args.first ?? first) + skip, most ?? Number.MAX_SAFE_INTEGER) };
}

/** The cursor in the next page's address; empty on the last page. Its errors are those of the call, and name the operation. */
function linkedCursor(
  { next, link = "" }: Page,
  header: string | string[] | undefined,
  value: unknown,
): string {
  if (!next) return nextLinkCursor(header, link);
  const address = restCursorAt(value, next);
  return address === "" ? "" : cursorFromUrl(address, link);
}

function restCursorAt(value: unknown, path: readonly string[]): string {
  const next = valueAt(value, path) ?? "";
  return typeof next === "string" || typeof next === "number" ? String(next) : notACursor();
}

function notACursor(): never {
  throw new CodedError("BAD_UPSTREAM_RESPONSE", "the next cursor is neither text nor a number");
}

/** REST's cursor of the next page; empty on the last one. */
function nextCursor(
  args: PageArguments,
  { next: path, last, from = 0, offset, full = 0, first = 0, more, total }: Page,
  body: object,
  sent: unknown,
  { cursor, size, before = 0 }: PageStart,
): string {
  if (path) return restCursorAt(body, path);
  const count = Array.isArray(sent) ? sent.length : 0;
  const isShort = count === 0 || count < Math.min(size ?? args.first ?? first, full);
  if (last && Array.isArray(sent)) {
    // a short page may have a next one if REST says so, but an empty page has no item that leads to it
    if (count === 0 || (more ? valueAt(body, more) !== true : isShort)) return "";
    return restCursorAt(sent.at(-1), last) || notACursor();
  }
  const behind = Number(cursor ?? from) + (offset ? count : 1);
  const all = total && valueAt(body, total);
  const taken = offset ? behind - from : before + count;
  const isEnd = typeof all === "number" ? count === 0 || taken >= all : isShort;
  // no offset leads on from an empty page
  const isLast = more ? valueAt(body, more) !== true || behind === Number(cursor ?? from) : isEnd;
  return isLast ? "" : String(behind);
}

/** `edges` and `pageInfo` are made when they are read: a selection of `nodes` pays for neither. */
function buildConnection(
  { first, after }: PageArguments,
  page: Page,
  body: object,
  sent: unknown,
  start: PageStart,
  next: string,
): object {
  const { skip, size, before } = start;
  const isCut = size !== undefined && after != null; // REST's page may be longer than what is asked for
  const end = isCut ? skip + Math.max(0, first ?? page.first ?? size) : undefined;
  const nodes = Array.isArray(sent) ? sent.slice(skip, end) : sent;
  const count = Array.isArray(nodes) ? nodes.length : 0;
  const isWhole = !Array.isArray(sent) || skip + count >= sent.length;
  const more = page.from === undefined ? page.more && (valueAt(body, page.more) ?? undefined) : undefined;
  const length = Array.isArray(sent) ? sent.length : 0;
  const onward = () =>
    cursorOf({ cursor: next, skip: 0, size, before: before === undefined ? before : before + length });
  const cursorAt = (index: number): string =>
    page.offset
      ? cursorOf({ cursor: String(Number(start.cursor ?? page.from) + index + 1), skip: 0 })
      : isWhole && index === count - 1 && next !== ""
        ? onward()
        : cursorOf({ ...start, skip: skip + index + 1 });
  const behind = isWhole ? (next === "" ? null : onward()) : after;
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
