/** A page of a REST list: the places of its values, the arguments of a connection, and its cursors. */
import { CodedError } from "../../errors.ts";

export type PageArguments = { readonly first?: number | null; readonly after?: string | null };

/** The places of a page's values in the REST body, how REST reads on, and the sizes of pages. */
export type Page<Items extends readonly string[]> = {
  /** Empty: the body is the list. */
  readonly items: Items;
  /** The place of the next page's cursor; with `link`, of its address. */
  readonly next?: readonly string[];
  /** The place of the next page's cursor in the last item of this one. */
  readonly last?: readonly string[];
  /** The parameter that holds the cursor in the next page's address: that of the `Link` header, or the one at `next`. */
  readonly link?: string;
  /** The number of the first page, and the next page's is one more; or the offset at which the first page begins. */
  readonly from?: number;
  /** The next page begins at an offset, behind the items of this one. */
  readonly offset?: true;
  /** The place of the number of all items. */
  readonly total?: readonly string[];
  /** A counted page with fewer items, and fewer than were asked for, is the last one. Absent: only an empty page is. */
  readonly full?: number;
  /** Without it, a page with a next cursor has a next page. */
  readonly more?: readonly string[];
  /** Items of a page without `first`, and the most items of a page; absent if REST has no parameter for it. */
  readonly first?: number;
  readonly most?: number;
};

/**
 * The place where a page begins: after `skip` items of the REST page with this cursor. No cursor: the first page.
 * `size` is the size of REST's pages, if the cursor depends on it. `before` is the number of items before the REST
 * page, if the last page is known by it.
 */
export type PageStart = {
  readonly cursor: string | null;
  readonly skip: number;
  readonly size?: number | undefined;
  readonly before?: number | undefined;
};

/**
 * Whether cursors count the items before a page: the page's number does not tell them, and REST's total is a number of
 * items.
 */
const countsItems = ({ from, offset, total, first }: Page<readonly string[]>): boolean =>
  from !== undefined && !offset && total !== undefined && first === undefined;

export const cursorOf = ({ cursor, skip, size, before }: PageStart): string => {
  const known = size !== undefined ? `/${size}` : before !== undefined ? `+${before}` : "";
  return Buffer.from(`${skip}${known}:${cursor ?? ""}`).toString("base64url");
};

/** Characters of a cursor. REST's own stands in a URL, which servers take up to about this length. */
const maxLength = 8_192;

const form = /^(0|[1-9]\d{0,8})(?:\/([1-9]\d{0,9})|\+(0|[1-9]\d{0,14}))?:(.*)$/s;

/** Throws `BAD_USER_INPUT` for a cursor that is not of this page's field. */
export function startAt({ first, after }: PageArguments, page: Page<readonly string[]>): PageStart {
  const isSized =
    ((page.next === undefined && page.last === undefined) || page.link !== undefined) &&
    !page.offset &&
    page.first !== undefined;
  const isCounted = countsItems(page);
  if (after === undefined || after === null) {
    const size = isSized && { size: Math.max(1, first ?? page.first ?? 1) };
    return { cursor: null, skip: 0, ...size, ...(isCounted && { before: 0 }) };
  }
  const text = after.length > maxLength ? "" : Buffer.from(after, "base64url").toString();
  const [, skip = "", size, before, cursor = ""] = form.exec(text) ?? [];
  const start = {
    cursor: cursor || null,
    skip: Number(skip),
    ...(size !== undefined && { size: Number(size) }),
    ...(before !== undefined && { before: Number(before) }),
  };
  const fits =
    (size !== undefined) === isSized &&
    (before !== undefined) === isCounted &&
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
