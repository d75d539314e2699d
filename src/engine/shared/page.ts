/**
 * A page of REST that becomes a connection: the places of its values in the body, how REST reads on (`next`, `last`, `link` or
 * `from`), and the sizes of pages. Generated resolvers hand it to `src/engine/runtime/rest/connection.ts`.
 */
export type Page<Items extends readonly string[] = readonly string[]> = {
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
  /** The parts of a page that the document requires, as it does its `required` properties. A page without one is an error. */
  readonly required?: readonly PagePart[];
  /** Items of a page without `first`, and the most items of a page; absent if REST has no parameter for it. */
  readonly first?: number;
  readonly most?: number;
};

/** The values of a page that have a place in the body. */
export const pageParts = ["items", "next", "more", "total"] as const;
type PagePart = (typeof pageParts)[number];
