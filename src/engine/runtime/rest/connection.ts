/**
 * Builds a connection from a page of REST (GraphQL Cursor Connections Specification).
 *
 * REST sends one cursor per page: the cursor of the next page. The last edge gets this cursor. The cursor of any other edge
 * contains the REST cursor of its own page and the number of items to skip: that page is requested again, and its first items are
 * dropped. A cursor may contain further values:
 * - the page size, if the REST cursor may be a page number, because pages of another size begin at other items;
 * - the number of items before the page, if REST's total determines the last page;
 * - the number of consecutive empty pages so far.
 *
 * With offsets, the cursor of each edge is its offset. If REST's cursor is the id of the last item, the id is read from this
 * item.
 */
import { Dictionary } from "../../shared/own.ts";
import { type CountedPage, isCounted, type NextPage, type Page, pathOfPart } from "../../shared/page.ts";
import { CodedError } from "../coded-error.ts";
import type { TakesLink, ValueAt } from "./openapi-types.ts";
import { cursorOf, mostEmptyPages, type PageArguments, type PageStart, startAt } from "./paging/cursor.ts";
import { cursorFromUrl, nextLinkCursor } from "./paging/next-link.ts";
import { isEmptyList, valueAt } from "./property.ts";

type ItemAt<Body, Items extends readonly string[]> =
  NonNullable<ValueAt<Body, Items>> extends readonly (infer Item)[] ? Item : never;

/** The fields of a connection that are not properties of the REST body. */
type ConnectionFields<Item> = {
  readonly nodes: Item[];
  readonly edges: { readonly node: Item; readonly cursor: string }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
};

/** `Omit` would lose the known properties of a body with an index signature (`additionalProperties`). */
export type Connection<Body, Item> = {
  [Key in keyof Body as Exclude<Key, keyof ConnectionFields<Item>>]: Body[Key];
} & ConnectionFields<Item>;

/**
 * `load` makes the REST call for the given `first` and `after`. If no call is needed, `load` returns null or, for an empty page,
 * `[]`. Throws `BAD_USER_INPUT` for a cursor that this function did not create.
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
  const { next } = page;
  const start = startAt(args, page);
  let linked = "";
  const restArguments = Object.assign(new Dictionary(), args, sizeOf(args, page, start), {
    after: start.cursor ?? (isCounted(next) ? String(next.from) : null),
  });
  const loaded = load(restArguments, (header, value) => {
    if (next.by === "link") linked = linkedCursor(next, header, value);
  });
  if (Array.isArray(loaded)) return buildConnection({ args, page, start, body: {}, items: [] }, "") as never;
  const body = await loaded;
  if (body === null || body === undefined) return body as never;
  if (typeof body !== "object")
    throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is not a JSON object, so it has no page");
  checkParts(body, page);
  const answer: PageAnswer = { args, page, start, body, items: valueAt(body, page.items) };
  const nextCursor = next.by === "link" ? linked : nextCursorIn(answer, next);
  checkProgress(answer, nextCursor);
  return buildConnection(answer, nextCursor) as never;
}

/** A page that REST returned, with the arguments of the field that requested the page. */
type PageAnswer = {
  readonly args: PageArguments;
  readonly page: Page;
  readonly start: PageStart;
  readonly body: object;
  readonly items: unknown;
};

/**
 * Throws if REST announces a further page but the cursor is missing or leads to the same page: a client that follows it would
 * never finish.
 */
function checkProgress({ page, body, items, start }: PageAnswer, nextCursor: string): void {
  const { next } = page;
  const fail = (message: string): never => {
    throw new CodedError("BAD_UPSTREAM_RESPONSE", message);
  };
  const isMore = announcesMore(page, body);
  if (isCounted(next)) {
    if (next.by === "number" && isMore === true && isEmptyList(items))
      fail("the answer says that there is a next page, but the page is empty");
    if (nextCursor !== "" && nextCursor === start.cursor) fail("the next cursor is that of the page itself");
    return;
  }
  if (isMore === true && nextCursor === "") fail("the answer says that there is a next page, but not which");
  if (isMore === false || nextCursor === "") return;
  if (nextCursor === start.cursor) fail("the next cursor is that of the page itself");
  if (emptiesUpTo({ start, items }) > mostEmptyPages)
    fail(`more than ${mostEmptyPages} pages in a row are empty, and each leads to another one`);
}

/** Whether REST announces a next page; `undefined` if REST does not say. */
function announcesMore({ more, moreIf }: Page, body: object): boolean | undefined {
  if (!more) return undefined;
  const value = valueAt(body, more) ?? undefined;
  if (typeof value === "boolean") return moreIf === "false" ? !value : value;
  if (moreIf === "present" && typeof value !== "object") return Boolean(value);
  if (value === undefined) return undefined;
  throw new CodedError(
    "BAD_UPSTREAM_RESPONSE",
    "the answer does not say by a boolean whether there is a next page",
  );
}

/** The number of consecutive empty pages, including this one. */
const emptiesUpTo = ({ start, items }: Pick<PageAnswer, "start" | "items">): number =>
  lengthOf(items) === 0 ? (start.empties ?? 0) + 1 : 0;

/** Throws if a paging property that the OpenAPI document requires is missing, even if the client does not select it. */
function checkParts(body: object, page: Page): void {
  for (const part of page.required ?? []) {
    const value = valueAt(body, pathOfPart(page, part) ?? []);
    if (value === null || value === undefined || (part === "items" && !Array.isArray(value)))
      throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer lacks a value that a page needs");
  }
}

/**
 * Returns the page size to request from REST if it differs from `first`: the size in the cursor, or `first` plus the number of
 * items to skip, but at most `most`.
 */
function sizeOf(args: PageArguments, { first, most }: Page, { skip, size }: PageStart): PageArguments {
  if (size !== undefined && args.after != null) return { first: size };
  if (skip === 0 || first === undefined) return {};
  return { first: Math.min((args.first ?? first) + skip, most ?? Number.MAX_SAFE_INTEGER) };
}

/** Returns the cursor in the URL of the next page; empty on the last page. If it throws, the REST call fails. */
function linkedCursor(
  { at, parameter }: NextPage & { readonly by: "link" },
  header: string | string[] | undefined,
  value: unknown,
): string {
  if (!at) return nextLinkCursor(header, parameter);
  const address = restCursorAt(value, at);
  return address === "" ? "" : cursorFromUrl(address, parameter);
}

function restCursorAt(value: unknown, path: readonly string[]): string {
  const next = valueAt(value, path) ?? "";
  return typeof next === "string" || typeof next === "number" ? String(next) : notACursor();
}

function notACursor(): never {
  throw new CodedError("BAD_UPSTREAM_RESPONSE", "the next cursor is neither text nor a number");
}

/** Returns the REST cursor of the next page; empty on the last page. */
function nextCursorIn(answer: PageAnswer, next: Exclude<NextPage, { readonly by: "link" }>): string {
  if (next.by === "cursor") return restCursorAt(answer.body, next.at);
  return next.by === "lastItem" ? cursorOfLastItem(answer, next.at) : countedCursor(answer, next);
}

/** Returns the cursor in the last item; empty on the last page and on an empty page. */
function cursorOfLastItem(answer: PageAnswer, at: readonly string[]): string {
  const { items } = answer;
  if (!Array.isArray(items) || items.length === 0) return "";
  return isLastPage(answer) ? "" : restCursorAt(items.at(-1), at) || notACursor();
}

/** Servers that leave out false values leave out `moreIf: "false"` on all pages but the last. */
function isLastPage(answer: PageAnswer): boolean {
  const { page, body } = answer;
  const isMore = announcesMore(page, body);
  return isMore === undefined && (!page.more || page.moreIf === "false") ? isShort(answer) : isMore !== true;
}

/** Returns the next page's number or offset; `""` if this page is the last or, with offsets, has no items. */
function countedCursor(answer: PageAnswer, { by, from, total }: CountedPage): string {
  const { page, start, body } = answer;
  const count = lengthOf(answer.items);
  const current = Number(start.cursor ?? from);
  const following = by === "offset" ? current + count : current + 1;
  if (page.more) return !isLastPage(answer) && following > current ? String(following) : "";
  const all = total && valueAt(body, total);
  const seen = by === "offset" ? following - from : (start.before ?? 0) + count;
  const isLast = typeof all === "number" ? count === 0 || seen >= all : isShort(answer);
  return isLast ? "" : String(following);
}

/** Whether REST returned no items or fewer than requested, so that this is the last page. */
function isShort({ args, page, start, items }: PageAnswer): boolean {
  const full = "full" in page.next ? (page.next.full ?? 0) : 0;
  const count = lengthOf(items);
  return count === 0 || count < Math.min(start.size ?? args.first ?? page.first ?? 0, full);
}

const lengthOf = (items: unknown): number => (Array.isArray(items) ? items.length : 0);

/** `edges` and `pageInfo` are getters, so that they are built only if the client selects them. */
function buildConnection({ args, page, start, body, items }: PageAnswer, nextCursor: string): object {
  const { first, after } = args;
  const { skip, size, before } = start;
  const { next } = page;
  const isCut = size !== undefined && after != null; // the REST page may be longer than the client requested
  const end = isCut ? skip + Math.max(0, first ?? page.first ?? size) : undefined;
  const nodes = Array.isArray(items) ? items.slice(skip, end) : items;
  const count = lengthOf(nodes);
  const endsPage = skip + count >= lengthOf(items);
  const more = isCounted(next) ? undefined : announcesMore(page, body);
  const nextPageCursor = () =>
    cursorOf({
      cursor: nextCursor,
      skip: 0,
      size,
      before: before === undefined ? before : before + lengthOf(items),
      empties: emptiesUpTo({ start, items }),
    });
  const cursorAt = (index: number): string =>
    next.by === "offset"
      ? cursorOf({ cursor: String(Number(start.cursor ?? next.from) + index + 1), skip: 0 })
      : endsPage && index === count - 1 && nextCursor !== ""
        ? nextPageCursor()
        : cursorOf({ ...start, skip: skip + index + 1 });
  const cursorAfterPage = endsPage ? (nextCursor === "" ? null : nextPageCursor()) : after;
  return {
    ...(Array.isArray(body) ? undefined : body),
    nodes,
    get edges() {
      return Array.isArray(nodes) ? nodes.map((node, index) => ({ node, cursor: cursorAt(index) })) : nodes;
    },
    get pageInfo() {
      return {
        hasNextPage: endsPage ? (more ?? nextCursor !== "") : true,
        hasPreviousPage: (after ?? null) !== null,
        startCursor: count > 0 ? cursorAt(0) : null,
        endCursor: count > 0 ? cursorAt(count - 1) : cursorAfterPage,
      };
    },
  };
}
