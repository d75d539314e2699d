/** The `Link` header that names the next page: read as RFC 8288 writes it, at the cost of one pass. */
import { expect, test } from "vitest";
import { connection } from "../../../../src/engine/runtime/rest/connection.ts";
import { nextLinkCursor } from "../../../../src/engine/runtime/rest/paging/next-link.ts";
import { unitGrowth } from "../../../support/cost.ts";
import { against, failureOf } from "./client.ts";
import { http } from "./raw-server.ts";

test("the next page is found in each form that RFC 8288 allows", () => {
  const found = (header: string | string[]) => nextLinkCursor(header, "page");
  expect(found('<https://a.example/x?page=2>; rel="next"')).toBe("2");
  expect(found("</x?page=b%20c&q=1>;rel=next")).toBe("b c");
  expect(found('<?page=2&per_page=3>; title="a, <b>; rel=last"; REL="Next last"')).toBe("2");
  expect(found(['<?page=1>; rel="prev"', '<?page=3>; rel="next"'])).toBe("3");
  expect(found('<?page=1>; rel="first"')).toBe("");
  expect(found('<?page=1>; rel=prev; rel=next,  <?page=2> ; x ; y="\\"," ; rel = next ,')).toBe("2");
  for (const empty of ["", ",", " , ,", ["", ""], ["", "</x?page=1>; rel=prev", ""]])
    expect(found(empty)).toBe("");
  expect(found('<?page=1>; rel=prev, , ,<?page=2>; rel="ne\\xt", ,')).toBe("2");
  expect(nextLinkCursor(undefined, "page")).toBe("");
});

test.each([
  'anchor="/other"',
  "anchor=/other",
  'ANCHOR = "#part"',
  'anchor="https://a.example/x"; anchor=""',
])("a link with %s is about another page (RFC 8288 §3.2)", (anchor) => {
  const found = (header: string) => nextLinkCursor(header, "page");
  expect(found(`<?page=9>; rel=next; ${anchor}`)).toBe("");
  expect(found(`<?page=9>; ${anchor}; rel=next, <?page=2>; rel=next`)).toBe("2");
  expect(found(`<?other=9>; ${anchor}; rel=next`)).toBe("");
});

test("an empty anchor is this page, and an anchor within a title is ignored", () => {
  const found = (header: string) => nextLinkCursor(header, "page");
  expect(found('<?page=2>; rel=next; anchor=""')).toBe("2");
  expect(found('<?page=2>; rel=next; title="; anchor=/other"')).toBe("2");
});

const parameters = (count: number): string =>
  Array.from({ length: count }, (_, index) => `;a${index}`).join("");

test.each<[what: string, header: (size: number) => string]>([
  ["spaces", (size) => `<?page=2>;${" ".repeat(size)}x; rel=next`],
  ["spaces at the end", (size) => `<?page=2>; rel=next${" ".repeat(size)}`],
  ["links", (size) => `${"<>,".repeat(size / 3)}<?page=2>; rel=next`],
  ["relations", (size) => `<?page=2>; rel="${"a ".repeat(size / 2)}next"`],
  [
    "parameters and relations",
    (size) => `<?page=2>${parameters(size / 10)};rel="${"a ".repeat(size / 4)}next"`,
  ],
])("a header of many %s is read at the cost of one pass", async (_what, header) => {
  const read = (size: number): void => expect(nextLinkCursor(header(size), "page")).toBe("2");
  expect(await unitGrowth(read, 1_000, 30_000, 8)).toBeLessThan(8); // 30 with the square
});

test.each([
  ["a header that is none", "page 2"],
  ["a quote that does not end", '<?page=2>; rel="next'],
  ["a parameter without a link", '; rel="next"'],
  ["a header that ends early", '<https://a.example/?page=2; rel="next"'],
  ["no address", '<http://>; rel="next"'],
  ["an address without the parameter", '<https://a.example/?p=2>; rel="next"'],
])("%s is an error of REST, and no last page", (_what, header) => {
  expect(() => nextLinkCursor(header, "page")).toThrow(
    expect.objectContaining({ code: "BAD_UPSTREAM_RESPONSE" }),
  );
});

test.each([
  ["in the header", {}, { link: '<https://a.example/?p=2>; rel="next"' }],
  ["in the body", { next: "https://a.example/?p=2" }, {}],
  ["in the body, which is no text,", { next: [2] }, {}],
])("the error of a next address %s names the operation", async (_where, body, headers) => {
  const { rest } = await against((socket) => {
    socket.write(http(200, JSON.stringify({ items: [], ...body }), headers));
  });
  const next = { by: "link", parameter: "page", ...("next" in body && { at: ["next"] }) } as const;
  const page = { items: ["items"], next };
  const failure = await failureOf(
    connection({}, page, (_args, link) => rest.get("/things", { link }) as Promise<object>),
  );
  expect(failure).toMatchObject({
    code: "BAD_UPSTREAM_RESPONSE",
    message: expect.stringMatching(/^listThings: the next /),
    details: { operation: "listThings" },
  });
});
