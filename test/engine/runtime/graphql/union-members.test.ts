/** A union over members that no discriminator tells apart: REST's own values choose the type. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, openPair } from "./pairs.ts";

const folder = join(import.meta.dirname, "../../build/codegen/cases/told-apart");
const query = `{
  paints { __typename opacity ... on SolidPaint { color } ... on GradientPaint { stops } }
  trigger { __typename ... on KeyDown { keys } ... on Click { on } }
}`;

test("each value gets its type, and an unknown one is an error", async () => {
  const pair = await openPair(folder);
  const ask = (paints: unknown, trigger: unknown) =>
    execute(pair, { query }, { get: async (path) => (path === "/paints" ? paints : trigger) });
  expect(
    await ask(
      [
        { type: "SOLID", opacity: 1, color: "red" },
        { type: "RADIAL", opacity: 0.5, stops: 2 },
      ],
      { on: "hover" },
    ),
  ).toEqual({
    data: {
      paints: [
        { __typename: "SolidPaint", opacity: 1, color: "red" },
        { __typename: "GradientPaint", opacity: 0.5, stops: 2 },
      ],
      trigger: { __typename: "Click", on: "hover" },
    },
  });
  const { data, errors } = await ask([{ type: "IMAGE", opacity: 1 }], { on: "key-down", keys: ["a"] });
  expect(data).toEqual({ paints: null, trigger: { __typename: "KeyDown", keys: ["a"] } });
  expect(errors).toMatchObject([{ extensions: { code: "BAD_UPSTREAM_RESPONSE" } }]);
});

test("the property that a value alone has gives its type, and none or two an error", async () => {
  const pair = await openPair(folder);
  const query = `{
    payments { __typename amount ... on CardPayment { number } ... on BankPayment { iban } ... on CashPayment { till } }
    shape { __typename ... on Radius { radius } ... on Side { side } }
  }`;
  const ask = (payments: unknown, shape: unknown) =>
    execute(pair, { query }, { get: async (path) => (path === "/payments" ? payments : shape) });
  expect(
    await ask(
      [{ amount: 1, number: "4" }, { amount: 2, iban: "DE1" }, { amount: 3, till: 7 }, { amount: 4 }],
      { side: null },
    ),
  ).toEqual({
    data: {
      payments: [
        { __typename: "CardPayment", amount: 1, number: "4" },
        { __typename: "BankPayment", amount: 2, iban: "DE1" },
        { __typename: "CashPayment", amount: 3, till: 7 },
        { __typename: "CashPayment", amount: 4, till: null },
      ],
      shape: { __typename: "Side", side: null },
    },
  });
  for (const shape of [{}, { radius: 1, side: 1 }, Object.create({ radius: 1 })]) {
    const { data, errors } = await ask([], shape);
    expect(data).toEqual({ payments: [], shape: null });
    expect(errors).toMatchObject([{ path: ["shape"], extensions: { code: "BAD_UPSTREAM_RESPONSE" } }]);
  }
});
