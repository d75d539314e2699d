/** A page of a REST list: the places of its values, the arguments of a connection, and its cursors. */
import { isCounted, type Page } from "../../../shared/page.ts";
import { CodedError } from "../../coded-error.ts";

export type PageArguments = { readonly first?: number | null; readonly after?: string | null };

/**
 * The place where a page begins: after `skip` items of the REST page with this cursor. No cursor: the first page.
 * `size` is the size of REST's pages, if the cursor depends on it. `before` is the number of items before the REST
 * page, if the last page is known by it. `empties` is the number of empty pages in a row before it.
 */
export type PageStart = {
  readonly cursor: string | null;
  readonly skip: number;
  readonly size?: number | undefined;
  readonly before?: number | undefined;
  readonly empties?: number | undefined;
};

/**
 * The most empty pages in a row. A page may be empty where REST filters it after reading it, but a list of empty pages that always
 * lead to another one has no end for a client that follows it.
 */
export const mostEmptyPages = 20;

/**
 * Whether cursors count the items before a page: the page's number does not give them, and REST's total is a number of
 * items.
 */
const countsItems = ({ next, first }: Page): boolean =>
  next.by === "number" && next.total !== undefined && first === undefined;

export const cursorOf = ({ cursor, skip, size, before, empties = 0 }: PageStart): string => {
  const known = size !== undefined ? `/${size}` : before !== undefined ? `+${before}` : "";
  const counted = empties > 0 ? `~${empties}` : "";
  return Buffer.from(`${skip}${known}${counted}:${cursor ?? ""}`).toString("base64url");
};

/** Characters of a cursor. REST's own is part of a URL, which servers accept up to about this length. */
const maxLength = 8_192;

const form = /^(0|[1-9]\d{0,8})(?:\/([1-9]\d{0,9})|\+(0|[1-9]\d{0,14}))?(?:~([1-9]\d?))?:(.*)$/s;

/** Throws `BAD_USER_INPUT` for a cursor that is not of this page's field. */
export function startAt({ first, after }: PageArguments, page: Page): PageStart {
  const { by } = page.next;
  const isSized = (by === "link" || by === "number") && page.first !== undefined;
  const hasBefore = countsItems(page);
  if (after === undefined || after === null) {
    const size = isSized && { size: Math.max(1, first ?? page.first ?? 1) };
    return { cursor: null, skip: 0, ...size, ...(hasBefore && { before: 0 }) };
  }
  const text = after.length > maxLength ? "" : Buffer.from(after, "base64url").toString();
  const [, skip = "", size, before, empties, cursor = ""] = form.exec(text) ?? [];
  const start = {
    cursor: cursor || null,
    skip: Number(skip),
    ...(size !== undefined && { size: Number(size) }),
    ...(before !== undefined && { before: Number(before) }),
    ...(empties !== undefined && { empties: Number(empties) }),
  };
  const fits =
    (size !== undefined) === isSized &&
    (before !== undefined) === hasBefore &&
    Number(size ?? 0) <= (page.most ?? 2 ** 31 - 1) &&
    (!isCounted(page.next) || /^\d{0,15}$/.test(cursor)) &&
    (by !== "offset" || start.skip === 0);
  const isSomewhere = start.skip > 0 || start.cursor !== null;
  if (text !== "" && fits && isSomewhere && cursorOf(start) === after) return start;
  throw new CodedError(
    "BAD_USER_INPUT",
    'argument "after" must be a cursor that this field gave: an `endCursor`, or the `cursor` of an edge',
    { argument: "after" },
  );
}
