/** Connections over a page of REST: every edge's cursor resumes behind its edge, whatever the sizes of the pages. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { connection } from "../../../../src/engine/runtime/rest/connection.ts";
import { seed } from "../../../support/seed.ts";

type Item = { readonly id: number };
type Body = {
  readonly items: Item[];
  readonly meta: { readonly next: string | null; readonly more: boolean };
};
type Args = { readonly first?: number | null; readonly after?: string | null };

const most = 10;
const byDefault = 4;

/** A REST list with a forward cursor, which is the id that the page begins behind. It refuses what REST would refuse. */
function restOf(length: number) {
  const items = Array.from({ length }, (_, id) => ({ id }));
  const asked: Args[] = [];
  const load = async (args: Args): Promise<Body> => {
    asked.push({ first: args.first ?? null, after: args.after ?? null });
    const limit = args.first ?? byDefault;
    if (limit < 1 || limit > most) throw new Error(`limit ${limit}`);
    if (args.after !== null && !/^id:\d+$/.test(args.after ?? "")) throw new Error(`cursor ${args.after}`);
    const from = args.after ? Number(args.after.slice(3)) + 1 : 0;
    const page = items.slice(from, from + limit);
    const more = from + limit < length;
    return { items: page, meta: { next: more ? `id:${page.at(-1)?.id}` : null, more } };
  };
  const page = (args: Args) =>
    connection(
      args,
      {
        items: ["items"],
        next: { by: "cursor", at: ["meta", "next"] },
        more: ["meta", "more"],
        first: byDefault,
        most,
      },
      load,
    );
  return { page, asked };
}

test("reading on behind any edge gives the rest of the list, once and in order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(40),
      fc.array(fc.option(fc.integer({ min: 1, max: most })), { minLength: 1, maxLength: 6 }),
      fc.nat(),
      async (length, sizes, seed) => {
        const { page } = restOf(length);
        const seen: number[] = [];
        let after: string | null = null;
        for (let turn = 0; turn < 200; turn++) {
          const first = sizes[turn % sizes.length] ?? null;
          const { edges, nodes, pageInfo } = await page({ first, after });
          expect(edges.map(({ node }) => node)).toEqual(nodes);
          expect(nodes.length).toBeLessThanOrEqual(first ?? byDefault);
          expect(pageInfo).toEqual({
            hasNextPage: pageInfo.hasNextPage,
            hasPreviousPage: after !== null,
            startCursor: edges[0]?.cursor ?? null,
            endCursor: edges.at(-1)?.cursor ?? pageInfo.endCursor,
          });
          if (nodes.length === 0 && !pageInfo.hasNextPage) break;
          // goes on behind some edge of the page, not always behind the last one
          const taken = nodes.length === 0 ? 0 : 1 + ((seed + turn * 7) % nodes.length);
          seen.push(...nodes.slice(0, taken).map(({ id }) => id));
          after = edges[taken - 1]?.cursor ?? pageInfo.endCursor;
        }
        expect(seen).toEqual(Array.from({ length }, (_, id) => id));
      },
    ),
    { numRuns: 200, seed },
  );
});

test("pages end to end cost one call each, and ask REST for no more than the client asks", async () => {
  const { page, asked } = restOf(10);
  const one = await page({ first: 4 });
  const two = await page({ first: 4, after: one.pageInfo.endCursor });
  const three = await page({ first: 4, after: two.pageInfo.endCursor });
  expect([one, two, three].map(({ pageInfo }) => pageInfo.hasNextPage)).toEqual([true, true, false]);
  expect(asked).toEqual([
    { first: 4, after: null },
    { first: 4, after: "id:3" },
    { first: 4, after: "id:7" },
  ]);
});

test("behind an edge inside a page REST sends the items before it again, up to its own limit", async () => {
  const { page, asked } = restOf(40);
  const { edges } = await page({ first: 10 });
  const behindThird = await page({ first: 5, after: edges[2]?.cursor ?? null });
  expect(behindThird.nodes.map(({ id }) => id)).toEqual([3, 4, 5, 6, 7]);
  const behindEighth = await page({ first: 5, after: edges[7]?.cursor ?? null });
  expect(behindEighth.nodes.map(({ id }) => id)).toEqual([8, 9]); // REST's page ends there
  const next = await page({ after: behindEighth.pageInfo.endCursor });
  expect(next.nodes.map(({ id }) => id)).toEqual([10, 11, 12, 13]);
  expect(asked.slice(1).map(({ first }) => first)).toEqual([8, 10, null]);
});

test("behind the last edge of the last page there is nothing yet", async () => {
  const { page } = restOf(3);
  const last = await page({ first: 5 });
  const behind = await page({ first: 5, after: last.pageInfo.endCursor });
  expect(behind.nodes).toEqual([]);
  expect(behind.pageInfo).toEqual({
    hasNextPage: false,
    hasPreviousPage: true,
    startCursor: null,
    endCursor: null,
  });
});

test.each([
  ["a cursor of REST", "id:3"],
  ["text of another kind", "x".repeat(9)],
  ["no text at all", ""],
  ["a start behind nothing", Buffer.from("0:").toString("base64url")],
  ["a count that is none", Buffer.from("-1:id:3").toString("base64url")],
  ["a cursor that is padded", Buffer.from("1:id:31").toString("base64")],
  ["a cursor beyond any length", Buffer.from(`1:${"x".repeat(10_000)}`).toString("base64url")],
])("%s is refused by the argument's name, and REST is not asked", async (_what, after) => {
  const { page, asked } = restOf(3);
  await expect(page({ after })).rejects.toMatchObject({
    code: "BAD_USER_INPUT",
    message:
      'argument "after" must be a cursor that this field returned: an `endCursor`, or the `cursor` of an edge',
    details: { argument: "after" },
  });
  expect(asked).toEqual([]);
});

const load = (body: unknown) => () => Promise.resolve(body as Body);

test("without a property that says so, a next cursor means a next page", async () => {
  const paths = { items: ["items"], next: { by: "cursor", at: ["next"] } } as const;
  const more = await connection({}, paths, load({ items: [{ id: 1 }], next: "n" }));
  expect(more.pageInfo.hasNextPage).toBe(true);
  for (const next of [null, "", undefined]) {
    const last = await connection({}, paths, load({ items: [{ id: 1 }], next }));
    expect(last.pageInfo.hasNextPage).toBe(false);
  }
});

test("a page that breaks its contract is left to the proof of each field, or is an error of REST", async () => {
  const paths = { items: ["items"], next: { by: "cursor", at: ["next"] } } as const;
  expect(await connection({}, paths, load(null))).toBeNull();
  const noPage = {
    code: "BAD_UPSTREAM_RESPONSE",
    message: "the answer is not a JSON object, so it has no page",
  };
  await expect(connection({}, paths, load("text"))).rejects.toMatchObject(noPage);
  await expect(connection({}, { ...paths, items: [] }, load("text"))).rejects.toMatchObject(noPage);
  expect(await connection({}, paths, load({ items: "text", next: null }))).toMatchObject({
    nodes: "text",
    edges: "text",
  });
  await expect(connection({}, paths, load({ items: [], next: true }))).rejects.toMatchObject({
    code: "BAD_UPSTREAM_RESPONSE",
  });
});

describe("a page that leads to no other, although it is not the last one, is an error of REST:", () => {
  const items = [{ id: 1 }, { id: 2 }];
  const broken = expect.objectContaining({ code: "BAD_UPSTREAM_RESPONSE" });
  const paths = { items: ["items"], next: { by: "cursor", at: ["next"] }, more: ["more"] } as const;

  test.each([null, "", undefined])("more is true, and next is %j", async (next) => {
    const page = load({ items, more: true, next });
    await expect(connection({}, paths, page)).rejects.toEqual(broken);
    await expect(connection({ first: 1 }, { ...paths, first: 10 }, page)).rejects.toEqual(broken);
    await expect(connection({}, paths, load({ items: [], more: true, next }))).rejects.toEqual(broken);
  });

  test.each([1, "true", {}])("more is %j, which is no boolean", async (more) => {
    await expect(connection({}, paths, load({ items, more, next: null }))).rejects.toEqual(broken);
    await expect(connection({}, paths, load({ items, more, next: "n" }))).rejects.toEqual(broken);
  });

  test.each([
    [true, false],
    [false, true],
    [null, true],
    [undefined, true],
  ])("a cursor leads on unless REST says that the page is the last one: %j", async (done, hasNextPage) => {
    const page = {
      items: ["items"],
      next: { by: "cursor", at: ["next"] },
      more: ["done"],
      moreIf: "false",
    } as const;
    const { pageInfo } = await connection({}, page, load({ items, done, next: "n" }));
    expect(pageInfo.hasNextPage).toBe(hasNextPage);
  });

  test("more is true, and no Link header or item leads on", async () => {
    const linked = { items: ["items"], next: { by: "link", parameter: "page" }, more: ["more"] } as const;
    const answer = (link: string | undefined) =>
      connection({}, linked, async (_args, read) => {
        read(link, {});
        return { items, more: true };
      });
    await expect(answer(undefined)).rejects.toEqual(broken);
    await expect(answer("<?page=1>; rel=prev")).rejects.toEqual(broken);
    expect((await answer("<?page=2>; rel=next")).pageInfo.hasNextPage).toBe(true);
    const last = { items: ["items"], next: { by: "lastItem", at: ["id"] }, more: ["more"] } as const;
    await expect(connection({}, last, load({ items: [], more: true }))).rejects.toEqual(broken);
  });

  test("a short page with more goes on behind its last item", async () => {
    const page = {
      items: ["items"],
      next: { by: "lastItem", at: ["id"], full: 10 },
      more: ["more"],
      first: 10,
    } as const;
    const asked: unknown[] = [];
    const ask = async (after: string | null) =>
      connection({ after }, page, async (args) => {
        asked.push(args.after);
        return { items, more: true };
      });
    const one = await ask(null);
    expect(one.pageInfo.hasNextPage).toBe(true);
    await expect(ask(one.pageInfo.endCursor)).rejects.toEqual(broken); // the same last item again
    expect(asked).toEqual([null, "2"]);
  });

  test("the next cursor is that of the page itself", async () => {
    for (const next of ["n", 7]) {
      for (const answer of [
        { items, next },
        { items, next, more: true },
      ]) {
        const page = "more" in answer ? paths : { items: paths.items, next: paths.next };
        const one = await connection({}, page, load(answer));
        const after = one.pageInfo.endCursor;
        await expect(connection({ after }, page, load(answer))).rejects.toEqual(broken);
        const behindFirst = one.edges[0]?.cursor ?? null;
        expect((await connection({ after: behindFirst }, page, load(answer))).nodes).toEqual([{ id: 2 }]);
      }
    }
  });

  test("but a last page may repeat its cursor, or have none", async () => {
    const one = await connection({}, paths, load({ items, more: true, next: "n" }));
    const after = one.pageInfo.endCursor;
    for (const next of ["n", null]) {
      const last = await connection({ after }, paths, load({ items, more: false, next }));
      expect(last.pageInfo.hasNextPage).toBe(false);
    }
  });
});

test("an argument that is left out has no value, also if every object inherits its name", async () => {
  const page = { items: ["items"], next: { by: "cursor", at: ["next"] } } as const;
  const args: { after?: string; valueOf?: string; q?: string } = Object.assign(Object.create(null), {
    q: "a",
  });
  const asked: unknown[] = [];
  await connection(args, page, async (given) => {
    asked.push(given.valueOf, given.q);
    return { items: [{ id: 1 }], next: null };
  });
  expect(asked).toEqual([undefined, "a"]);
});

test.each([
  {},
  { items: null, total: 0 },
  { items: {}, total: 0 },
  { items: [], total: null },
  { items: [] },
])("a page %j without what its document requires is an error, whatever the client selects", async (body) => {
  const places = { items: ["items"], next: { by: "number", from: 1, total: ["total"] } } as const;
  const page = connection({}, { ...places, required: ["items", "total"] }, async () => body);
  await expect(page).rejects.toMatchObject({ code: "BAD_UPSTREAM_RESPONSE" });
  expect(await connection({}, places, async () => body)).toBeDefined();
});

describe("empty pages that lead to ever new ones", () => {
  type Page = { nodes: Item[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
  /** Follows a list of which only the pages with these numbers have an item, and returns the items and the number of calls. */
  const follow = async (filled: readonly number[], length: number, more?: readonly ["more"]) => {
    let calls = 0;
    const load = async ({ after }: Args) => {
      calls++;
      const at = Number(after ?? 0);
      const next = at + 1 < length ? `${at + 1}` : null;
      return { items: filled.includes(at) ? [{ id: at }] : [], next, more: next !== null };
    };
    const found: number[] = [];
    let after: string | null = null;
    for (;;) {
      const next = { by: "cursor", at: ["next"] } as const;
      const { nodes, pageInfo }: Page = await connection(
        { after },
        { items: ["items"], next, ...(more && { more }) },
        load,
      );
      found.push(...nodes.map(({ id }) => id));
      if (!pageInfo.hasNextPage) return { found, calls };
      after = pageInfo.endCursor;
    }
  };

  test("are an error after 20 of them", async () => {
    for (const more of [undefined, ["more"] as const]) {
      const failed = expect.objectContaining({
        code: "BAD_UPSTREAM_RESPONSE",
        message: "more than 20 pages in a row are empty, and each leads to another one",
      });
      await expect(follow([], 1_000_000, more)).rejects.toEqual(failed);
      await expect(follow([0, 5], 1_000_000, more)).rejects.toEqual(failed);
    }
  });

  test("are followed to the next item, and to the end of the list", async () => {
    expect(await follow([20, 41, 42], 63)).toEqual({ found: [20, 41, 42], calls: 63 });
    expect(await follow([], 21)).toEqual({ found: [], calls: 21 });
    expect(await follow([], 0)).toEqual({ found: [], calls: 1 });
  });
});

test("an empty numbered page that says there is more is an error, and no list without an end", async () => {
  const page = {
    items: ["items"],
    next: { by: "number", from: 1, full: 100 },
    more: ["more"],
    first: 2,
  } as const;
  const answer = (items: object[], more: boolean) => connection({}, page, async () => ({ items, more }));
  await expect(answer([], true)).rejects.toMatchObject({ code: "BAD_UPSTREAM_RESPONSE" });
  expect((await answer([], false)).pageInfo.hasNextPage).toBe(false);
  expect((await answer([{ id: 1 }], true)).pageInfo.hasNextPage).toBe(true);
});
