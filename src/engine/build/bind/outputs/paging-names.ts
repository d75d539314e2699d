/** Common names of paging parameters and properties. */
import { isOnly, responseProperties, type Shape } from "../../openapi/shapes/shape.ts";
import { normalizeName } from "../../schema/graphql-names.ts";

/** Splits a list of names in the form that `normalizeName` returns: `page[after]` is `pageafter`, `$skipToken` is `skiptoken`. */
const words = (text: string): string[] => text.trim().split(/\s+/);

export const pagingNames = {
  after: words(`after cursor pagecursor pageafter aftercursor startcursor startingafter startafter
    marker pagemarker startmarker nextmarker pagetoken nexttoken nextpagetoken nextcursor
    continuationtoken continuation paginationtoken paginationcursor skiptoken`),
  first:
    words(`first limit perpage pagesize pagelimit size count take top maxresults maxitems maxkeys maxpagesize
    itemsperpage resultsperpage`),
  page: words("page pagenumber pageindex pageno"),
  offset: words("offset skip startindex startat pageoffset"),
  before: words("before beforecursor pagebefore endingbefore endbefore"),
  // the id of the last item in the URL of a next page; elsewhere, a parameter with this name filters by time
  since: words("since sinceid"),
  next: words(`next nextcursor nextpage nexttoken nextpagetoken nextpagecursor nextmarker nextpagemarker
    nextcontinuationtoken nextpaginationtoken endcursor aftercursor`),
  // OpenAI: the id of the page's last item, which is also present on the last page
  last: words("lastid"),
  address: words("next nextpage nexturl nexturi nextlink nextpageurl nextpagelink nextpageuri nexthref"),
  more: words("more hasmore hasnext hasnextpage nextpage hasmoreitems hasmoreresults morepages istruncated"),
  // names for the number of filtered results come before names for the number of all results
  total: words("filtercount totalresults totalcount totalitems totalelements totalrecords totalsize total"),
  // names of the page's items in a response with several lists; the most certain names come first
  items: words("items data entries results records values rows elements nodes list"),
};

export const hasName = (known: readonly string[], { name }: { readonly name: string }): boolean =>
  known.includes(normalizeName(name)) && !name.includes(".");

/** Returns the object and all objects nested in it, with their paths, outermost first. */
export function nestedObjects(shape: Shape, depth: number): [path: readonly string[], object: Shape][] {
  const found: [readonly string[], Shape][] = [[[], shape]];
  for (const [path, object] of found)
    if (path.length < depth)
      for (const { name, shape: inner } of responseProperties(object))
        if (isOnly(inner, "object") && !name.includes(".")) found.push([[...path, name], inner]);
  return found;
}
