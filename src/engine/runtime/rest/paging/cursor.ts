/** Encodes the cursors of a connection, which contain a REST cursor and the number of items to skip on its page. */
import { isCounted, type Page } from "../../../shared/page.ts";
import { CodedError } from "../../coded-error.ts";

export type PageArguments = { readonly first?: number | null; readonly after?: string | null };

/**
 * The start of a page: after `skip` items of the REST page with `cursor`, or of the first REST page if `cursor` is null. `size`
 * is the size of the REST pages, set if the REST cursor depends on it. `before` is the number of items before the REST page, set
 * if it detects the last page. `empties` is the number of consecutive empty pages before the REST page.
 */
export type PageStart = {
  readonly cursor: string | null;
  readonly skip: number;
  readonly size?: number | undefined;
  readonly before?: number | undefined;
  readonly empties?: number | undefined;
};

/**
 * Maximum number of consecutive empty pages. A page may be empty if REST filters its items after reading it, but an endless
 * sequence of empty pages must fail.
 */
export const mostEmptyPages = 20;

/**
 * Whether a cursor contains the number of items before its page. It is compared with REST's total to detect the last page. It
 * cannot be computed from a page number, because REST may send smaller pages than requested.
 */
const countsItems = ({ next }: Page): boolean => next.by === "number" && next.total !== undefined;

export const cursorOf = ({ cursor, skip, size, before, empties = 0 }: PageStart): string => {
  const sized = size !== undefined ? `/${size}` : "";
  const seen = before !== undefined ? `+${before}` : "";
  const counted = empties > 0 ? `~${empties}` : "";
  return Buffer.from(`${skip}${sized}${seen}${counted}:${cursor ?? ""}`).toString("base64url");
};

/** Maximum length of a cursor. A REST cursor is part of a URL, and servers accept URLs of about this length. */
const maxLength = 8_192;

const form = /^(0|[1-9]\d{0,8})(?:\/([1-9]\d{0,9}))?(?:\+(0|[1-9]\d{0,14}))?(?:~([1-9]\d?))?:(.*)$/s;

/** Parses `after`. Throws `BAD_USER_INPUT` for a cursor of another field. */
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
    'argument "after" must be a cursor that this field returned: an `endCursor`, or the `cursor` of an edge',
    { argument: "after" },
  );
}
