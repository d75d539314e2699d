/** The patterns of JSONPath queries, as overlays hold them. */
import { expect, test } from "vitest";
import { queryPaths } from "../../../../src/engine/build/openapi/overlays/json-path.ts";

const values = { a: "aaa", b: "xaay", c: 7, d: ["a\nb", `${"a".repeat(45)}!`] };
const selected = (query: string): string[] => queryPaths(query, values).map((node) => node.getPath());

test("`match` takes the whole text, `search` a part of it, and neither a value that is no text", () => {
  expect(selected("$[?match(@, 'a+')]")).toEqual(["$.a"]);
  expect(selected("$[?search(@, 'a+')]")).toEqual(["$.a", "$.b"]);
  expect(selected("$[?match(@, 'a|xaay')]")).toEqual(["$.b"]);
  expect(selected("$.d[?match(@, 'a.b')]")).toEqual([]);
});

test.each(["match", "search"])("a pattern that would backtrack ends: %s", (name) => {
  expect(selected(`$.d[?${name}(@, '(a+)+b')]`)).toEqual([]);
});

test("a pattern that cannot be read is an error", () => {
  expect(() => selected("$[?search(@, '(')]")).toThrow();
  expect(() => selected("$[?search(@, '(?=a)')]")).toThrow();
});

test("a query that selects each value again and again is an error", () => {
  const many = `[${Array.from({ length: 100 }, () => "*").join()}]`;
  const wide = { a: Array.from({ length: 200 }, () => [1]) };
  expect(() => queryPaths(`$..${many}..${many}`, wide)).toThrow("more than 500000 values");
});
