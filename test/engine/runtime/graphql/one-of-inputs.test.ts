/** A `@oneOf` input sends the one member of REST's `oneOf` that the client chooses, and GraphQL refuses any other choice. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, openPair } from "./pairs.ts";

const folder = join(import.meta.dirname, "../../build/codegen/cases/one-of-members");

/** Sends a mutation with the variable `input`, and returns what REST gets, or the errors. */
async function openMutations() {
  const pair = await openPair(folder);
  const calls: unknown[] = [];
  const post = async (...call: unknown[]): Promise<unknown> => {
    calls.push(call);
    return null;
  };
  const ask = async (query: string, variables: object = {}, own: object = { post }) => {
    calls.length = 0;
    const { errors } = await execute(pair, { query, variables }, own);
    return {
      calls: [...calls],
      errors: errors?.map(({ message, extensions }) => [extensions?.code, message]),
    };
  };
  return {
    pair,
    ask,
    pay: (input: object) => ask("mutation ($input: Payment!) { pay(input: $input) }", { input }),
  };
}

const body = (path: string, sent: unknown) => ({ calls: [[path, { body: sent }]], errors: undefined });

test("the member is sent with the value by which REST chooses it", async () => {
  const { ask, pay } = await openMutations();
  expect(await pay({ card: { number: "4", holder: "Ann" } })).toEqual(
    body("/payments", { method: "card", number: "4", holder_name: "Ann" }),
  );
  expect(await pay({ bankTransfer: { iban: "DE1" } })).toEqual(
    body("/payments", { method: "bank-transfer", iban: "DE1" }),
  );
  expect(await pay({ cash: { method: "cash", till: "7" } })).toEqual(
    body("/payments", { method: "cash", till: 7 }),
  );
  expect(await pay({ raw: { method: "RawPayment", any: [1] } })).toEqual(
    body("/payments", { method: "RawPayment", any: [1] }),
  );
  expect(await ask('mutation { pay(input: { card: { number: "4" } }) }')).toEqual(
    body("/payments", { method: "card", number: "4" }),
  );
});

test("a property, a list of choices, and the one property that a member needs", async () => {
  const { ask } = await openMutations();
  const when = { allOf: [{ hours: { from: 9, to: 17 } }, { keyword: { word: "" } }] };
  expect(await ask('mutation ($when: Condition) { addRule(name: "r", when: $when) }', { when })).toEqual(
    body("/rules", { name: "r", when: { all_of: [{ from: 9, to: 17 }, { word: "" }] } }),
  );
  for (const [given, sent] of [
    [{ email: "a@b.example" }, { email: "a@b.example" }],
    [{ phoneNumber: "+1" }, { phone_number: "+1" }],
    [{ team: { id: "1", role: "owner" } }, { id: "1", role: "owner" }],
  ])
    expect(await ask("mutation ($input: Invitee!) { invite(input: $input) }", { input: given })).toEqual(
      body("/invitations", sent),
    );
});

test("two members, none and null are refused before a call, as a variable and as a literal", async () => {
  const { ask, pay } = await openMutations();
  const card = { number: "4" };
  for (const [input, literal, message] of [
    [
      { card, bankTransfer: { iban: "D" } },
      '{ card: { number: "4" }, bankTransfer: { iban: "D" } }',
      /[Ee]xactly one key/,
    ],
    [{}, "{}", /[Ee]xactly one key/],
    [{ card: null }, "{ card: null }", /non-null/],
  ] as const) {
    for (const { calls, errors } of [await pay(input), await ask(`mutation { pay(input: ${literal}) }`)])
      expect({ calls, errors }).toEqual({
        calls: [],
        errors: [[expect.any(String), expect.stringMatching(message)]],
      });
  }
});

test("REST's limits hold for the member that is given, by its argument's name", async () => {
  const { ask, pay } = await openMutations();
  expect(await pay({ card: { number: "4".repeat(20) } })).toEqual({
    calls: [],
    errors: [["BAD_USER_INPUT", 'argument "input.card.number" must be at most 19 characters long']],
  });
  const invite = 'mutation { invite(input: { phoneNumber: "1" }) }';
  expect((await ask(invite)).errors?.[0]?.[1]).toContain('argument "input.phoneNumber"');
});
