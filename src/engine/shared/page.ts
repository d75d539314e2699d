/**
 * How a REST page becomes a connection: where its values are in the body, how to get the next page (`next`, `last`, `link` or
 * `from`), and the page sizes. Generated resolvers pass it to `src/engine/runtime/rest/connection.ts`.
 */
export type Page<Items extends readonly string[] = readonly string[]> = {
  /** Empty: the body is the list. */
  readonly items: Items;
  /** Path of the next page's cursor or, with `link`, of its URL. */
  readonly next?: readonly string[];
  /** Path of the next page's cursor in the last item of this page. */
  readonly last?: readonly string[];
  /** The query parameter with the cursor in the next page's URL, which is in the `Link` header or at `next`. */
  readonly link?: string;
  /** The first page's number, or with `offset` its offset. */
  readonly from?: number;
  /** Pages are counted by the offset of their first item instead of a page number. */
  readonly offset?: true;
  /** Path of the total number of items. */
  readonly total?: readonly string[];
  /** A numbered page with fewer items than this and than requested is the last one. Absent: only an empty page is. */
  readonly full?: number;
  /** Path of "has next page". Absent: a page with a next cursor has a next page. */
  readonly more?: readonly string[];
  /** The parts that the document requires; a page without one of them is an error. */
  readonly required?: readonly PagePart[];
  /** Default and maximum page size; absent if REST has no parameter for it. */
  readonly first?: number;
  readonly most?: number;
};

/** The parts of a page that have a path in the body. */
export const pageParts = ["items", "next", "more", "total"] as const;
type PagePart = (typeof pageParts)[number];
