/** Common names of paging parameters and properties. */
import { isOnly, responseProperties, type Shape } from "../../openapi/shapes/shape.ts";
import { normalizeName } from "../../schema/graphql-names.ts";

/** The words are normalized names (see `normalizeName`): `pageafter` stands for `page[after]` and `page_after`. */
const words = (text: string): string[] => text.trim().split(/\s+/);

export const pagingNames = {
  after: words(`after cursor pagecursor pageafter aftercursor startcursor startingafter startafter
    marker pagemarker startmarker nextmarker pagetoken nexttoken nextpagetoken nextcursor
    continuationtoken continuation paginationtoken paginationcursor skiptoken iterator`),
  first:
    words(`first limit perpage pagesize pagelimit size count take top maxresults maxitems maxkeys maxpagesize
    itemsperpage resultsperpage`),
  page: words("page pagenumber pageindex pageno"),
  offset: words("offset skip startindex startat pageoffset"),
  before: words("before beforecursor pagebefore endingbefore endbefore"),
  // `since` is a cursor in the URL of a next page, but filters by time elsewhere
  since: words("since sinceid"),
  next: words(`next nextcursor nextpage nexttoken nextpagetoken nextpagecursor nextmarker nextpagemarker
    nextcontinuationtoken nextpaginationtoken endcursor aftercursor`),
  // OpenAI's API has the id of the page's last item here, even on the last page
  last: words("lastid"),
  address: words("next nextpage nexturl nexturi nextlink nextpageurl nextpagelink nextpageuri nexthref"),
  // a boolean that is true on the last page
  end: words("done last islast lastpage islastpage isdone"),
  more: words("more hasmore hasnext hasnextpage nextpage hasmoreitems hasmoreresults morepages istruncated"),
  nextNumber: words("nextpage nextpagenumber nextpageno nextpageindex"),
  // the number of filtered results is preferred to the number of all results
  total: words("filtercount totalresults totalcount totalitems totalelements totalrecords totalsize total"),
  // the most certain names come first, because a response may have several lists
  items: words("items data entries results records values rows elements nodes list"),
};

export const hasName = (known: readonly string[], { name }: { readonly name: string }): boolean =>
  known.includes(normalizeName(name)) && !name.includes(".");

/** Returns the object and the objects nested in it, outermost first. */
export function nestedObjects(shape: Shape, depth: number): [path: readonly string[], object: Shape][] {
  const found: [readonly string[], Shape][] = [[[], shape]];
  for (const [path, object] of found)
    if (path.length < depth)
      for (const { name, shape: inner } of responseProperties(object))
        if (isOnly(inner, "object") && !name.includes(".")) found.push([[...path, name], inner]);
  return found;
}
