/** Connections over lists whose next page begins behind the id of an item, as Stripe pages. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { connection } from "../../../../src/engine/runtime/rest/connection.ts";
import { seed } from "../../../support/seed.ts";

type Args = { readonly first?: number | null; readonly after?: string | null };

const byDefault = 3;

function restOf(length: number, tellsMore: boolean) {
  const items = Array.from({ length }, (_, index) => ({ id: `item_${index}` }));
  const asked: (string | null)[] = [];
  const places = { items: ["data"], first: byDefault, most: 5 };
  const page = (args: Args) =>
    connection(
      args,
      tellsMore
        ? { ...places, next: { by: "lastItem", at: ["id"] }, more: ["has_more"] }
        : { ...places, next: { by: "lastItem", at: ["id"], full: 5 } },
      async (inner) => {
        asked.push(inner.after ?? null);
        const at = items.findIndex(({ id }) => id === inner.after) + 1;
        const size = Math.min(inner.first ?? byDefault, 5);
        return { data: items.slice(at, at + size), has_more: at + size < length };
      },
    );
  return { page, asked, ids: items.map(({ id }) => id) };
}

test("every page begins behind the last item of the one before, whether or not REST says that there is more", async () => {
  const lists = fc.record({
    length: fc.nat(12),
    first: fc.option(fc.integer({ min: 1, max: 7 })),
    tellsMore: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(lists, async ({ length, first, tellsMore }) => {
      const { page, ids } = restOf(length, tellsMore);
      const read: string[] = [];
      for (let after: string | null = null; ; ) {
        const { nodes, pageInfo } = await page({ first, after });
        read.push(...nodes.map(({ id }) => id));
        if (!pageInfo.hasNextPage) break;
        after = pageInfo.endCursor;
      }
      expect(read).toEqual(ids);
    }),
    { seed },
  );
});

test("REST gets the id itself, and an edge in the middle of a page begins behind its own item", async () => {
  const { page, asked } = restOf(6, true);
  const { edges, pageInfo } = await page({});
  await page({ after: pageInfo.endCursor });
  expect(asked).toEqual([null, "item_2"]);
  const { nodes } = await page({ after: edges[0]?.cursor ?? "" });
  expect(nodes[0]).toEqual({ id: "item_1" });
});

test("a last item without its id is an error, and no silent end", async () => {
  const load = async () => ({ data: [{ id: undefined as unknown }], has_more: true });
  const broken = connection(
    {},
    { items: ["data"], next: { by: "lastItem", at: ["id"] }, more: ["has_more"] },
    load,
  );
  await expect(broken).rejects.toMatchObject({ code: "BAD_UPSTREAM_RESPONSE" });
});
