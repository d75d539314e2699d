/** The values that `@rest(connection:)` makes of a page of REST. */

import type { Page } from "./sdl.ts";
import { type Json, oneSchema, type Reader } from "./ways.ts";

/** The schemas at a path of an answer; at no path the answer itself. */
function below(reader: Reader, answer: unknown, path: string | undefined): unknown[] {
  return (path?.split(".") ?? []).reduce<unknown[]>(
    (schemas, step) =>
      schemas.flatMap((schema) =>
        reader.ways(schema).flatMap((way) => (way.properties[step] ? [oneSchema(way.properties[step])] : [])),
      ),
    [answer],
  );
}

/** Whether an answer may lack the value at a path. */
const isOptional = (reader: Reader, answer: unknown, path: string | undefined): boolean | undefined =>
  path
    ?.split(".")
    .some((_, index, steps) =>
      below(reader, answer, steps.slice(0, index).join(".") || undefined).some((schema) =>
        reader.ways(schema).some(({ required }) => !required.has(steps[index] ?? "")),
      ),
    );

/** Whether there is a list to make a page of. */
export const isPage = (reader: Reader, answer: unknown, { items }: Page): boolean =>
  below(reader, answer, items).some((list) => reader.ways(list).some(({ types }) => types.has("array")));

/** The schema of what a connection shows: the page with its nodes, their edges and the page's place. */
export function pageSchema(reader: Reader, answer: unknown, { items }: Page): unknown {
  const lists = below(reader, answer, items);
  const mayMiss = isOptional(reader, answer, items);
  const text = { type: "string" };
  const flag = { type: "boolean" };
  const nodes = lists.flatMap((list) => reader.ways(list).flatMap((way) => way.items));
  const edge = {
    type: "object",
    required: ["node", "cursor"],
    properties: { node: oneSchema(nodes), cursor: text },
  };
  const place = { hasNextPage: flag, hasPreviousPage: flag, startCursor: text, endCursor: text };
  const made = {
    type: "object",
    required: ["pageInfo", ...(mayMiss ? [] : ["nodes", "edges"])],
    properties: {
      // where the page is the list, a null is the page's own
      ...(lists.length > 0 && {
        nodes: items === undefined ? { type: "array", items: oneSchema(nodes) } : oneSchema(lists),
        edges: { type: "array", items: edge },
      }),
      pageInfo: { type: "object", required: ["hasNextPage", "hasPreviousPage"], properties: place },
    },
  };
  return items === undefined ? made : { allOf: [answer, made] };
}

/** What the document says about the way to the next page, as text. */
export function readsOn(
  reader: Reader,
  operation: Json,
  answer: unknown,
  { next, more, total, pages }: Page,
): string {
  const waysAt = (path: string) => below(reader, answer, path).flatMap((schema) => reader.ways(schema));
  const typesAt = (path: string | undefined): unknown[] =>
    path === undefined ? [] : waysAt(path).map(({ types }) => [...types].filter((type) => type !== "null"));
  // a flag, or a value that the last page may lack, says whether there is a next page
  const announces = (path: string): boolean => {
    const types = waysAt(path).map((way) => way.types);
    const isEach = (...known: string[]): boolean =>
      types.length > 0 &&
      types.every((each) => each.size > 0 && [...each].every((type) => known.includes(type)));
    const mayMiss = isOptional(reader, answer, path) || types.some((each) => each.has("null"));
    return isEach("boolean", "null") || (mayMiss && isEach("string", "integer", "number", "null"));
  };
  const linked = Object.entries((operation.responses ?? {}) as Json).some(
    ([status, response]) =>
      status.startsWith("2") &&
      Object.keys((reader.resolve(response).headers ?? {}) as Json).some((name) => /^link$/i.test(name)),
  );
  const isAnnounced = more === undefined || announces(more) || typesAt(more);
  return JSON.stringify([typesAt(next), isAnnounced, typesAt(total), pages === "LINKED" && linked]);
}
