/** A `@oneOf` input over edits of REST's `oneOf`: a member's demand breaks the operations that may send that member. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stepReport } from "./in-memory.ts";
import { edited } from "./run.ts";

const folder = join(import.meta.dirname, "../codegen/cases/one-of-members");
const openapi = readFileSync(join(folder, "openapi.yaml"), "utf8");
const operations = `
mutation Any($input: Payment!) { pay(input: $input) }
mutation Bank { pay(input: { bankTransfer: { iban: "DE1" } }) }
mutation LongCard { pay(input: { card: { number: "4000 0000 0000" } }) }
mutation ShortCard($holder: String) { pay(input: { card: { number: "4000", holder: $holder } }) }
`;

/** The finding of the rule after the edit, with the operations that it breaks. */
async function brokenBy(from: string, to: string): Promise<unknown> {
  const was = {
    "spec/openapi.yaml": openapi,
    "spec/schema.graphql": readFileSync(join(folder, "schema.graphql"), "utf8"),
    "spec/operations/depot.graphql": operations,
    "spec/rest-only.yaml": "",
  };
  const { findings } = await stepReport(was, { "spec/openapi.yaml": edited(openapi, from, to) });
  return findings
    .filter(({ severity }) => severity === "error")
    .map(({ rule, coordinate, operations }) => [rule, coordinate, operations.map(({ name }) => name).join()]);
}

test("a lower limit of a member breaks what may send more", async () => {
  expect(await brokenBy("maxLength: 19", "maxLength: 10")).toEqual([
    ["rest-limit-changed", "Card.number", "Any,LongCard"],
  ]);
});

test("a property of a member that is required now breaks what may leave it out", async () => {
  expect(await brokenBy("required: [method, number]", "required: [method, number, holder_name]")).toEqual([
    ["input-nullable", "Card.holder", "Any,LongCard,ShortCard"],
  ]);
});

test("a member that is gone breaks what may send it, and a value by which REST chooses it breaks nothing", async () => {
  const bank = '        - { $ref: "#/components/schemas/BankPayment" }\n';
  expect(await brokenBy(bank, "")).toEqual([["property-missing", "Payment.bankTransfer", "Any,Bank"]]);
  expect(await brokenBy("cash: CashPayment }", "cash: CashPayment, raw: RawPayment }")).toEqual([]);
});
