/**
 * How a REST page becomes a connection: where its values are in the body, how to get the next page, and the page sizes.
 * Generated resolvers pass it to `src/engine/runtime/rest/connection.ts`.
 */
export type Page<Items extends readonly string[] = readonly string[]> = {
  /** The path of the list in the body; empty if the body is the list. */
  readonly items: Items;
  readonly next: NextPage;
  /** Path of the value that says whether there is a next page. If absent, a next cursor means that there is one. */
  readonly more?: Path;
  /**
   * If absent, `more` is a boolean. `present`: it is a value such as the number of the next page, which is null, absent, empty or 0
   * on the last page.
   */
  readonly moreIf?: "present";
  /** The parts that the document requires; a page without one of them is an error. */
  readonly required?: readonly PagePart[];
  /** Default and maximum page size; absent if REST has no parameter for it. */
  readonly first?: number;
  readonly most?: number;
};

/** How to get the next page: by a cursor, or by counting. */
export type NextPage = CursorPage | LastItemPage | LinkedPage | CountedPage;

type Path = readonly string[];

/** The next page's cursor is in the body. */
type CursorPage = { readonly by: "cursor"; readonly at: Path };

/**
 * The next page's cursor is a value of this page's last item. The last page has fewer items than `full` and than requested;
 * without `full`, it is empty.
 */
type LastItemPage = { readonly by: "lastItem"; readonly at: Path; readonly full?: number };

/** The next page's URL has the cursor in a query parameter. The URL is in the body or, without `at`, in the `Link` header. */
type LinkedPage = { readonly by: "link"; readonly parameter: string; readonly at?: Path };

/**
 * The next page is requested by its number or by the offset of its first item. `from`: the number or offset of the first page.
 * `total`: the path of the total number of items. `full`: as in `LastItemPage`.
 */
export type CountedPage = {
  readonly by: "number" | "offset";
  readonly from: number;
  readonly total?: Path;
  readonly full?: number;
};

/** The parts of a page that have a path in the body. */
export const pageParts = ["items", "next", "more", "total"] as const;
type PagePart = (typeof pageParts)[number];

export const isCounted = (next: NextPage): next is CountedPage =>
  next.by === "number" || next.by === "offset";

/** Returns the part's path in the body; `undefined` if the body does not contain it. */
export function pathOfPart({ items, next, more }: Page, part: PagePart): Path | undefined {
  if (part === "items") return items;
  if (part === "more") return more;
  if (part === "total") return isCounted(next) ? next.total : undefined;
  return next.by === "cursor" || next.by === "link" ? next.at : undefined;
}
