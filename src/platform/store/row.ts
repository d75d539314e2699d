/** Converts a row's values to JSON values, and creates pages with cursors. */
import { CodedError } from "restbound";
import type { Row } from "./store.ts";

/** Parses a text column with a JSON list of strings. Returns an empty list for null. */
export function strings(value: Row[string] | undefined): string[] {
  const parsed: unknown = typeof value === "string" ? JSON.parse(value) : [];
  return Array.isArray(parsed) ? parsed.map(String) : [];
}

export const text = (value: Row[string] | undefined): string => String(value ?? "");

/** The columns by which lists can be sorted. */
export type SortColumn = "createdAt" | "lastMessageAt" | "name" | "startsAt";

type RowPage = { items: Row[]; nextCursor: string | null; hasMore: boolean };

/** `rows`: up to `limit` + 1 rows, sorted by the column `sortedBy`, then by id. The extra row shows that there is a next page. */
export function toPage(rows: Row[], limit: number, sortedBy: SortColumn): RowPage {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit;
  const nextCursor = hasMore && last ? encodeCursor(text(last[sortedBy]), text(last.id)) : null;
  return { items, nextCursor, hasMore };
}

/** Calls `count` only if the page does not show the total. */
export const totalOf = (
  { items, hasMore }: RowPage,
  cursor: string | undefined,
  count: () => Row | undefined,
): number => (cursor === undefined && !hasMore ? items.length : Number(count()?.count));

const encodeCursor = (key: string, id: string): string =>
  Buffer.from(JSON.stringify([key, id])).toString("base64url");

/** Throws `BAD_USER_INPUT` for a cursor that `toPage` did not create. */
export function afterCursor(cursor: string | undefined): { afterKey: string | null; afterId: string | null } {
  if (cursor === undefined) return { afterKey: null, afterId: null };
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const [afterKey, afterId] = Array.isArray(parsed) && parsed.length === 2 ? parsed : [];
    if (typeof afterKey === "string" && typeof afterId === "string") return { afterKey, afterId };
  } catch {
    // the cursor is not JSON, so `toPage` did not create it
  }
  throw new CodedError("BAD_USER_INPUT", "cursor: is not the nextCursor of a page", { argument: "cursor" });
}
