/**
 * Describes how a page of a REST list becomes a GraphQL connection: where the values of the page are in the body, how to get the
 * next page, and the page sizes. Generated resolvers pass the description to `src/engine/runtime/rest/connection.ts`.
 */
export type Page<Items extends readonly string[] = readonly string[]> = {
  /** The path of the list in the body; empty if the body is the list. */
  readonly items: Items;
  readonly next: NextPage;
  /**
   * The path of the value that says whether there is a next page. If `more` is absent, a cursor in the response means that there
   * is a next page.
   */
  readonly more?: Path;
  /**
   * How to read the value at `more`. If `moreIf` is absent, the value is a boolean. `present`: the value is, for example, the
   * number of the next page; on the last page it is null, absent, empty or 0. `false`: the value is a boolean that is true on the
   * last page.
   */
  readonly moreIf?: "present" | "false";
  /** The parts of a page that the document declares as required. A page that lacks one of them is an error. */
  readonly required?: readonly PagePart[];
  /** `first`: the default page size; `most`: the maximum. Absent if REST has no parameter for the page size. */
  readonly first?: number;
  readonly most?: number;
};

/** How to get the next page: by a cursor, or by counting. */
export type NextPage = CursorPage | LastItemPage | LinkedPage | CountedPage;

type Path = readonly string[];

/** The next page's cursor is in the body. */
type CursorPage = { readonly by: "cursor"; readonly at: Path };

/**
 * The cursor of the next page is a value of the last item on this page. A page with fewer items than `full`, and fewer than
 * requested, is the last one. Without `full`, only an empty page is the last one.
 */
type LastItemPage = { readonly by: "lastItem"; readonly at: Path; readonly full?: number };

/**
 * The cursor of the next page is a query parameter of the URL of the next page. This URL is in the body at the path `at` or,
 * without `at`, in the `Link` header.
 */
type LinkedPage = { readonly by: "link"; readonly parameter: string; readonly at?: Path };

/**
 * The next page is requested by its number or by the offset of its first item. `from`: the number or offset of the first page.
 * `total`: the path of the total number of items. `full`: a page with fewer items than `full`, and fewer than requested, is the
 * last one.
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

/**
 * Returns the path of a part in the body. Returns `undefined` if the part has no path there: for example, if the link to the next
 * page is in a header.
 */
export function pathOfPart({ items, next, more }: Page, part: PagePart): Path | undefined {
  if (part === "items") return items;
  if (part === "more") return more;
  if (part === "total") return isCounted(next) ? next.total : undefined;
  return next.by === "cursor" || next.by === "link" ? next.at : undefined;
}
