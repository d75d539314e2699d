/** Whatever arrives as variables of operations that are good in themselves, and as values in their documents. */
import fc, { type Arbitrary } from "fast-check";
import { test } from "vitest";
import { fuzz, timeout } from "./fuzz.ts";
import { jsonText, objectText } from "./hostile.ts";
import { operations, variableNames } from "./operations.ts";
import { openRole } from "./role.ts";

const goodValues = [
  "1",
  '"1"',
  '"a"',
  "true",
  "null",
  "100",
  "101",
  '"OPEN"',
  '"sms"',
  '"2026-11-21"',
  '"+12025550143"',
];
const value: Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...goodValues) },
  { weight: 1, arbitrary: jsonText },
);
const member: Arbitrary<[string, string]> = fc.tuple(fc.constantFrom(...variableNames), value);
const variables: Arbitrary<string> = fc.oneof(
  { weight: 9, arbitrary: objectText(member, variableNames.length) },
  { weight: 1, arbitrary: jsonText },
);
const byVariables = fc
  .tuple(fc.constantFrom(...operations), variables)
  .map(([query, given]) => `{"query":${JSON.stringify(query)},"variables":${given}}`);

/** JSON as GraphQL writes it: the same but for the names in objects. */
const literal = value.map((text) => text.replaceAll(/"(\w+)":/g, "$1:"));
const fields = [
  "contacts(q:",
  "contactsConnection(first:",
  "contact(id:",
  "metrics(from:",
  "agentsConnection(kind:",
];
const byLiteral = fc
  .tuple(fc.constantFrom(...fields), literal)
  .map(([field, given]) => JSON.stringify({ query: `{ ${field} ${given}) { __typename } }` }));

test("any variables are accepted or refused as GraphQL specifies", { timeout }, async () => {
  const { post } = await openRole();
  const reached = { data: 0, refused: 0 };
  await fuzz(
    "variables",
    fc.oneof({ weight: 4, arbitrary: byVariables }, { weight: 1, arbitrary: byLiteral }),
    reached,
    async (body) => {
      const { errors } = await post(Buffer.from(body));
      reached[errors?.length === 0 ? "data" : "refused"]++;
    },
  );
});
