/** Common names of paging parameters and properties, used as hints only. */
import { isOnly, responseProperties, type Shape } from "../../openapi/shapes/shape.ts";
import { normalizeName } from "../../schema/graphql-names.ts";

export const pagingNames = {
  after: [
    "after",
    "cursor",
    "pagecursor",
    "aftercursor",
    "startcursor",
    "startingafter",
    "startafter",
  ].concat(["pagetoken", "nexttoken", "nextpagetoken", "nextcursor", "continuationtoken"]),
  first: ["first", "limit", "perpage", "pagesize", "pagelimit", "size", "count", "take", "maxresults"],
  page: ["page", "pagenumber", "pageindex", "pageno"],
  offset: ["offset", "skip", "startindex"],
  before: ["before", "beforecursor", "endingbefore", "endbefore"],
  // the id of the last item, but only in a next page's URL; elsewhere this parameter filters by time
  since: ["since", "sinceid"],
  next: ["next", "nextcursor", "nextpage", "nexttoken", "nextpagetoken", "nextpagecursor", "endcursor"],
  address: [
    "next",
    "nextpage",
    "nexturl",
    "nexturi",
    "nextlink",
    "nextpageurl",
    "nextpagelink",
    "nextpageuri",
    "nexthref",
  ],
  more: ["more", "hasmore", "hasnext", "hasnextpage", "nextpage"],
  // the number of filtered results is preferred to the number of all results
  total: ["filtercount", "totalresults", "totalcount", "totalitems", "total"],
};

export const hasName = (known: readonly string[], { name }: { readonly name: string }): boolean =>
  known.includes(normalizeName(name)) && !name.includes(".");

/** The object and its nested objects with their paths, outermost first. */
export function nestedObjects(shape: Shape, depth: number): [path: readonly string[], object: Shape][] {
  const found: [readonly string[], Shape][] = [[[], shape]];
  for (const [path, object] of found)
    if (path.length < depth)
      for (const { name, shape: inner } of responseProperties(object))
        if (isOnly(inner, "object") && !name.includes(".")) found.push([[...path, name], inner]);
  return found;
}
