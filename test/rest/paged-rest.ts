/** A stand-in for a REST list in each manner of paging, and its connection. */
import { connection } from "../../src/rest/connection.ts";

export type Item = { readonly id: number };
export type Args = { readonly first?: number | null; readonly after?: string | null };

export const byDefault = 4;

/** How a REST list is paged: the number of its first page, and the longest page that it gives, documented or not. */
type Manner = { readonly from: number; readonly cap: number };

/** A list whose pages have numbers. It names the next page in a `Link` header, as GitHub does. */
export function restOf(length: number, { from, cap }: Manner) {
  const items = Array.from({ length }, (_, id) => ({ id }));
  const asked: Args[] = [];
  const pageOf = (args: Args): { page: Item[]; link: string | undefined } => {
    asked.push({ first: args.first ?? null, after: args.after ?? null });
    const size = Math.min(args.first ?? byDefault, cap);
    const number = Number(args.after ?? from);
    const at = (number - from) * size;
    const link = `<https://rest.example/items?per_page=${size}&page=${number + 1}>; rel="next", <https://rest.example/items?page=${from}>; rel="first"`;
    return { page: items.slice(at, at + size), link: at + size < length ? link : undefined };
  };
  // a list whose pages begin at an offset, counted from `from`
  const rowsOf = (args: Args): { rows: Item[]; total: number } => {
    asked.push({ first: args.first ?? null, after: args.after ?? null });
    const at = Number(args.after ?? from) - from;
    return { rows: items.slice(at, at + Math.min(args.first ?? byDefault, cap)), total: length };
  };
  return {
    asked,
    linked: (args: Args) =>
      connection(args, { items: [], link: "page", first: byDefault }, async (inner, link) => {
        const found = pageOf(inner);
        link(found.link);
        return found.page;
      }),
    // the address stands in the body, and may be relative
    addressed: (args: Args) =>
      connection(args, { items: ["page"], next: ["next"], link: "page", first: byDefault }, async (inner) => {
        const { page, link } = pageOf(inner);
        return {
          page,
          next: link === undefined ? null : (/<https:\/\/rest.example([^>]*)>/.exec(link)?.[1] ?? ""),
        };
      }),
    // the cursor is a number
    numeric: (args: Args) =>
      connection(args, { items: ["rows"], next: ["next"], first: byDefault, most: cap }, async (inner) => {
        const { rows } = rowsOf(inner);
        const behind = Number(inner.after ?? from) + rows.length;
        return { rows, next: behind - from < length ? behind : null };
      }),
    counted: (args: Args) =>
      connection(
        args,
        { items: [], from, full: byDefault, first: byDefault },
        async (inner) => pageOf(inner).page,
      ),
    offset: (args: Args) =>
      connection(
        args,
        { items: [], from, offset: true, full: cap, first: byDefault, most: cap },
        async (inner) => rowsOf(inner).rows,
      ),
    ofTotal: (args: Args) =>
      connection(args, { items: ["rows"], from, offset: true, total: ["total"] }, async (inner) =>
        rowsOf(inner),
      ),
    ofLength: (args: Args) =>
      connection(args, { items: [], from }, async (inner) => pageOf({ after: inner.after ?? null }).page),
    ofCount: (args: Args) =>
      connection(args, { items: ["rows"], from, total: ["total"] }, async (inner) => ({
        rows: pageOf({ after: inner.after ?? null }).page,
        total: length,
      })),
    limited: (args: Args) =>
      connection(
        args,
        { items: [], from, full: cap, first: byDefault, most: cap },
        async (inner) => pageOf(inner).page,
      ),
  };
}
