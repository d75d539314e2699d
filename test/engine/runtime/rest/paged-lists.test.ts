/** Connections over lists that REST pages by number or by offset: read on by counting, or by the `Link` header. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { connection } from "../../../../src/engine/runtime/rest/connection.ts";
import { seed } from "../../../support/seed.ts";

type Item = { readonly id: number };
type Args = { readonly first?: number | null; readonly after?: string | null };

const byDefault = 4;

/** How a REST list is paged: the number of its first page, and the longest page that it gives, documented or not. */
type Manner = { readonly from: number; readonly cap: number };

/** A list whose pages have numbers. It names the next page in a `Link` header, as GitHub does. */
function restOf(length: number, { from, cap }: Manner) {
  const items = Array.from({ length }, (_, id) => ({ id }));
  const asked: Args[] = [];
  const pageOf = (args: Args): { page: Item[]; link: string | undefined } => {
    asked.push({ first: args.first ?? null, after: args.after ?? null });
    const size = Math.min(args.first ?? byDefault, cap);
    const number = Number(args.after ?? from);
    const at = (number - from) * size;
    const link = `<https://rest.example/items?per_page=${size}&page=${number + 1}>; rel="next", <https://rest.example/items?page=${from}>; rel="first"`;
    return { page: items.slice(at, at + size), link: at + size < length ? link : undefined };
  };
  // a list whose pages begin at an offset, counted from `from`
  const rowsOf = (args: Args): { rows: Item[]; total: number } => {
    asked.push({ first: args.first ?? null, after: args.after ?? null });
    const at = Number(args.after ?? from) - from;
    return { rows: items.slice(at, at + Math.min(args.first ?? byDefault, cap)), total: length };
  };
  return {
    asked,
    linked: (args: Args) =>
      connection(
        args,
        { items: [], next: { by: "link", parameter: "page" }, first: byDefault },
        async (inner, link) => {
          const found = pageOf(inner);
          link(found.link, found.page);
          return found.page;
        },
      ),
    // the address stands in the body, and may be relative
    addressed: (args: Args) =>
      connection(
        args,
        { items: ["page"], next: { by: "link", parameter: "page", at: ["next"] }, first: byDefault },
        async (inner, link) => {
          const found = pageOf(inner);
          const address = /<https:\/\/rest.example([^>]*)>/.exec(found.link ?? "")?.[1] ?? null;
          const body = { page: found.page, next: address };
          link(undefined, body);
          return body;
        },
      ),
    // the cursor is a number
    numeric: (args: Args) =>
      connection(
        args,
        { items: ["rows"], next: { by: "cursor", at: ["next"] }, first: byDefault, most: cap },
        async (inner) => {
          const { rows } = rowsOf(inner);
          const behind = Number(inner.after ?? from) + rows.length;
          return { rows, next: behind - from < length ? behind : null };
        },
      ),
    counted: (args: Args) =>
      connection(
        args,
        { items: [], next: { by: "number", from, full: byDefault }, first: byDefault },
        async (inner) => pageOf(inner).page,
      ),
    offset: (args: Args) =>
      connection(
        args,
        { items: [], next: { by: "offset", from, full: cap }, first: byDefault, most: cap },
        async (inner) => rowsOf(inner).rows,
      ),
    ofTotal: (args: Args) =>
      connection(args, { items: ["rows"], next: { by: "offset", from, total: ["total"] } }, async (inner) =>
        rowsOf(inner),
      ),
    ofLength: (args: Args) =>
      connection(
        args,
        { items: [], next: { by: "number", from } },
        async (inner) => pageOf({ after: inner.after ?? null }).page,
      ),
    ofCount: (args: Args) =>
      connection(
        args,
        { items: ["rows"], next: { by: "number", from, total: ["total"] } },
        async (inner) => ({
          rows: pageOf({ after: inner.after ?? null }).page,
          total: length,
        }),
      ),
    ofSizedCount: (args: Args) =>
      connection(
        args,
        { items: ["rows"], next: { by: "number", from, total: ["total"] }, first: byDefault },
        async (inner) => ({ rows: pageOf(inner).page, total: length }),
      ),
    limited: (args: Args) =>
      connection(
        args,
        { items: [], next: { by: "number", from, full: cap }, first: byDefault, most: cap },
        async (inner) => pageOf(inner).page,
      ),
  };
}

type Paged = Pick<Awaited<ReturnType<ReturnType<typeof restOf>["counted"]>>, "nodes" | "edges" | "pageInfo">;

const ways = [
  "linked",
  "addressed",
  "numeric",
  "counted",
  "limited",
  "offset",
  "ofTotal",
  "ofLength",
  "ofCount",
  "ofSizedCount",
] as const;

test.each(ways)(
  "%s: reading on behind any edge gives the rest of the list, whatever `first` is then",
  async (way) => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(40),
        fc.array(fc.option(fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 6 }),
        fc.nat(),
        fc.constantFrom(0, 1),
        async (length, sizes, seed, from) => {
          const page = restOf(length, { from, cap: 9 })[way];
          const seen: number[] = [];
          let after: string | null = null;
          for (let turn = 0; turn < 200; turn++) {
            const first = sizes[turn % sizes.length] ?? null;
            const found: Paged = await page({ first, after });
            const { edges, nodes, pageInfo } = found;
            expect(edges.map(({ node }) => node)).toEqual(nodes);
            const isSized = way !== "ofLength" && way !== "ofCount";
            expect(nodes.length).toBeLessThanOrEqual((isSized ? first : null) ?? byDefault);
            expect(pageInfo.hasPreviousPage).toBe(after !== null);
            expect(pageInfo.startCursor).toBe(edges[0]?.cursor ?? null);
            if (edges.length > 0) expect(pageInfo.endCursor).toBe(edges.at(-1)?.cursor);
            if (!pageInfo.hasNextPage) {
              seen.push(...nodes.map(({ id }) => id));
              break;
            }
            // goes on behind some edge of the page, not always behind the last one
            const taken = nodes.length === 0 ? 0 : 1 + ((seed + turn * 7) % nodes.length);
            seen.push(...nodes.slice(0, taken).map(({ id }) => id));
            after = edges[taken - 1]?.cursor ?? pageInfo.endCursor;
          }
          expect(seen).toEqual(Array.from({ length }, (_, id) => id));
        },
      ),
      { numRuns: 150, seed },
    );
  },
);

/** All that a client reads who follows `endCursor`: the items of each page. */
async function read(page: (args: Args) => Promise<Paged>, first: number | null = null): Promise<number[][]> {
  const seen: number[][] = [];
  for (let after: string | null = null; seen.length < 20; ) {
    const { nodes, pageInfo }: Paged = await page({ first, after });
    seen.push(nodes.map(({ id }) => id));
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  return seen;
}

test("without a size, only an empty page is the last one; a total says it before", async () => {
  const { ofLength, ofCount } = restOf(8, { from: 1, cap: 9 });
  expect(await read(ofLength)).toEqual([[0, 1, 2, 3], [4, 5, 6, 7], []]);
  expect(await read(ofCount)).toEqual([
    [0, 1, 2, 3],
    [4, 5, 6, 7],
  ]);
  expect(await read(restOf(3, { from: 0, cap: 9 }).ofCount)).toEqual([[0, 1, 2]]);
  expect(await read(restOf(0, { from: 0, cap: 9 }).ofLength)).toEqual([[]]);
});

test.each([
  ["a full page", 8, 4, 9, [4, 4]],
  ["a page that is longer than REST's default page", 13, 8, 9, [8, 5]],
  ["a page that REST makes shorter than requested", 8, 6, 3, [3, 3, 2]],
])("a total says that %s is the last one", async (_what, length, first, cap, lengths) => {
  const { ofSizedCount } = restOf(length, { from: 1, cap });
  const pages = await read(ofSizedCount, first);
  expect(pages.map((page) => page.length)).toEqual(lengths);
  expect(pages.flat()).toEqual(Array.from({ length }, (_, id) => id));
});

test("pages without a size may differ in length: nothing is cut off", async () => {
  const pages = [[0, 1, 2, 3], [4], [5, 6, 7, 8], [9]].map((page) => page.map((id) => ({ id })));
  const load = async ({ after }: Args) => ({ rows: pages[Number(after) - 1] ?? [], total: 10 });
  const counted = (args: Args) =>
    connection(args, { items: ["rows"], next: { by: "number", from: 1, total: ["total"] } }, load);
  const plain = (args: Args) => connection(args, { items: ["rows"], next: { by: "number", from: 1 } }, load);
  expect((await read(counted)).flat()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(await read(plain)).toEqual([...(await read(counted)), []]);
});

test.each(["0:2", "0/4:2", "0+:2", "0+04:2", "0+4:two"])(
  "the cursor %s does not say how many items are before it, and REST is not asked",
  async (text) => {
    const { ofCount, asked } = restOf(3, { from: 1, cap: 9 });
    const after = Buffer.from(text).toString("base64url");
    await expect(ofCount({ after })).rejects.toMatchObject({ code: "BAD_USER_INPUT" });
    expect(asked).toEqual([]);
  },
);

test("an undocumented page limit cuts nothing off", async () => {
  for (const way of ["linked", "counted"] as const) {
    const { [way]: page, asked } = restOf(12, { from: 1, cap: 5 });
    expect((await read(page, 9)).flat()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(asked.length).toBe(3);
  }
});

test("the Link header knows the last page; by counting, a full page may be followed by an empty one", async () => {
  const { linked, counted } = restOf(8, { from: 1, cap: 9 });
  const last = async (page: typeof linked) => {
    const { pageInfo } = await page({});
    return page({ after: pageInfo.endCursor });
  };
  expect((await last(linked)).pageInfo.hasNextPage).toBe(false);
  const full = await last(counted);
  expect(full.pageInfo.hasNextPage).toBe(true);
  const { nodes, pageInfo } = await counted({ after: full.pageInfo.endCursor });
  expect({ nodes, ...pageInfo }).toEqual({
    nodes: [],
    hasNextPage: false,
    hasPreviousPage: true,
    startCursor: null,
    endCursor: null,
  });
});

test("a flag of the answer says whether there is a next page, also behind a full one", async () => {
  const page = (more: unknown) =>
    connection({}, { items: ["rows"], next: { by: "number", from: 1 }, more: ["more"] }, async () => ({
      rows: [{ id: 1 }],
      more,
    }));
  expect((await page(true)).pageInfo.hasNextPage).toBe(true);
  for (const more of [false, null, undefined]) expect((await page(more)).pageInfo.hasNextPage).toBe(false);
});

test.each(["number", "offset"] as const)("a value of the answer announces the next %s", async (by) => {
  const page = (next: unknown) =>
    connection(
      {},
      { items: ["rows"], next: { by, from: 1 }, more: ["meta", "next"], moreIf: "present" },
      async () => ({ rows: [{ id: 1 }], meta: { next } }),
    );
  for (const next of [2, "2", "https://rest.example/?page=2"])
    expect((await page(next)).pageInfo).toMatchObject({ hasNextPage: true });
  for (const next of [null, undefined, "", 0, false])
    expect((await page(next)).pageInfo).toMatchObject({ hasNextPage: false });
  for (const next of [{}, []])
    await expect(page(next)).rejects.toMatchObject({ code: "BAD_UPSTREAM_RESPONSE" });
});

test.each([
  ["number", { by: "number", from: 1, full: 2 }],
  ["offset", { by: "offset", from: 0, full: 2 }],
  ["cursor of the last item", { by: "lastItem", at: ["id"], full: 2 }],
] as const)(
  "a list paged by %s does not end where REST leaves out the flag of the last page",
  async (_by, next) => {
    const page = async (rows: object[], done?: boolean | null) =>
      (
        await connection(
          {},
          { items: ["rows"], next, more: ["done"], moreIf: "false", first: 2 },
          async () => ({ rows, done }),
        )
      ).pageInfo.hasNextPage;
    const full = [{ id: 1 }, { id: 2 }];
    expect([await page(full, false), await page(full), await page(full, null)]).toEqual([true, true, true]);
    expect([await page(full, true), await page([{ id: 1 }]), await page([])]).toEqual([false, false, false]);
  },
);

test("a flag that is not a boolean is an error", async () => {
  const page = { items: ["rows"], next: { by: "number", from: 1 }, more: ["more"] } as const;
  for (const more of ["true", 1, {}])
    await expect(connection({}, page, async () => ({ rows: [{ id: 1 }], more }))).rejects.toMatchObject({
      code: "BAD_UPSTREAM_RESPONSE",
    });
});

test("a cursor leads nowhere if the value that announces a next page is absent", async () => {
  const page = {
    items: ["rows"],
    next: { by: "cursor", at: ["next"] },
    more: ["page"],
    moreIf: "present",
  } as const;
  const answer = (page: number | null) => ({ rows: [{ id: 1 }], next: "n", page });
  expect((await connection({}, page, async () => answer(2))).pageInfo.hasNextPage).toBe(true);
  expect((await connection({}, page, async () => answer(null))).pageInfo.hasNextPage).toBe(false);
});

test("an offset reads on behind the items that came, and needs no call to know a total or a short page", async () => {
  for (const way of ["offset", "ofTotal"] as const) {
    const { [way]: page, asked } = restOf(7, { from: 1, cap: 5 });
    expect((await read(page, 9)).flat()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(asked).toEqual([
      { first: 9, after: "1" },
      { first: 9, after: "6" },
    ]);
  }
});

test("an empty page at an offset is the last one, whatever the total or a flag says", async () => {
  const page = (answer: object) =>
    connection({}, { items: ["rows"], next: { by: "offset", from: 0, total: ["total"] } }, async () => ({
      rows: [] as Item[],
      ...answer,
    }));
  expect((await page({ total: 9 })).pageInfo).toMatchObject({ hasNextPage: false, endCursor: null });
  expect((await page({})).pageInfo.hasNextPage).toBe(false);
  const flagged = connection(
    {},
    { items: ["rows"], next: { by: "offset", from: 0 }, more: ["more"] },
    async () => ({
      rows: [] as Item[],
      more: true,
    }),
  );
  expect((await flagged).pageInfo.hasNextPage).toBe(false);
});

test("without its total, a page at an offset has a next one as long as it has items", async () => {
  const page = (rows: Item[]) =>
    connection({}, { items: ["rows"], next: { by: "offset", from: 0, total: ["total"] } }, async () => ({
      rows,
      total: null,
    }));
  expect((await page([{ id: 1 }])).pageInfo.hasNextPage).toBe(true);
  expect((await page([])).pageInfo.hasNextPage).toBe(false);
});

test.each(["1:2", "0/4:2", "0:two", "0:"])(
  "the cursor %s is no offset, and REST is not asked",
  async (text) => {
    const { offset, asked } = restOf(3, { from: 1, cap: 9 });
    const after = Buffer.from(text).toString("base64url");
    await expect(offset({ after })).rejects.toMatchObject({
      code: "BAD_USER_INPUT",
      details: { argument: "after" },
    });
    expect(asked).toEqual([]);
  },
);

test.each([
  ["without the size of its pages", "3:2"],
  ["with pages longer than REST gives", "3/11:2"],
  ["with a page that is no number", "0/4:two"],
  ["of the first page's beginning", "0/4:"],
  ["with a size of nothing", "1/0:2"],
])("a cursor %s is refused, and REST is not asked", async (_what, text) => {
  const { limited, asked } = restOf(3, { from: 1, cap: 9 });
  const after = Buffer.from(text).toString("base64url");
  await expect(limited({ after })).rejects.toMatchObject({
    code: "BAD_USER_INPUT",
    details: { argument: "after" },
  });
  expect(asked).toEqual([]);
});

test("a cursor with a size is refused where REST's cursor depends on none", async () => {
  const after = Buffer.from("0/4:x").toString("base64url");
  const load = () => Promise.resolve({ items: [], next: null });
  await expect(
    connection({ after }, { items: ["items"], next: { by: "cursor", at: ["next"] }, first: 4 }, load),
  ).rejects.toMatchObject({
    code: "BAD_USER_INPUT",
  });
});
