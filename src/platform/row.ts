/** A row's values as JSON values: text that holds a JSON list, and cursors over an ordered list of rows. */
import { CodedError } from "../errors.ts";
import type { Row } from "./store.ts";

/** A JSON list of strings out of a text column; null is the empty list. */
export function strings(value: Row[string] | undefined): string[] {
  const parsed: unknown = typeof value === "string" ? JSON.parse(value) : [];
  return Array.isArray(parsed) ? parsed.map(String) : [];
}

export const text = (value: Row[string] | undefined): string => String(value ?? "");

export type Page = { items: Row[]; nextCursor: string | null; hasMore: boolean };

/** Cuts one surplus row off and says how to read on; `sortedBy` is the column the list is ordered by, before the id. */
export function toPage(rows: Row[], limit: number, sortedBy: string): Page {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit;
  const nextCursor = hasMore && last ? encodeCursor(text(last[sortedBy]), text(last.id)) : null;
  return { items, nextCursor, hasMore };
}

const encodeCursor = (key: string, id: string): string =>
  Buffer.from(JSON.stringify([key, id])).toString("base64url");

/** Where a page begins; throws `BAD_USER_INPUT` for a cursor that no page gave. */
export function afterCursor(cursor: string | undefined): { afterKey: string | null; afterId: string | null } {
  if (cursor === undefined) return { afterKey: null, afterId: null };
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const [afterKey, afterId] = Array.isArray(parsed) && parsed.length === 2 ? parsed : [];
    if (typeof afterKey === "string" && typeof afterId === "string") return { afterKey, afterId };
  } catch {
    // falls through: whatever it is, it is no cursor of ours
  }
  throw new CodedError("BAD_USER_INPUT", "cursor: is not the nextCursor of a page", { argument: "cursor" });
}
