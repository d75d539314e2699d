/** `DateTime` and `Date`: REST's text passes unchanged, and a client's value must have the format. Both executors agree. */
import { expect, test } from "vitest";
import { executableSchema } from "../../../../src/engine/runtime/graphql/executable-schema.ts";
import { property } from "../../../../src/engine/runtime/rest/property.ts";
import { execute, openSchema } from "./pairs.ts";

const typeDefs = `
scalar DateTime @specifiedBy(url: "https://www.rfc-editor.org/rfc/rfc3339#section-5.6")
scalar Date
scalar Any
type Query { visits(since: DateTime, day: Date, days: [Date!]): Visits }
type Visits {
  at: DateTime
  days: [Date!]
  any: Any
  args: Any
}`;

const open = (visits: object) => {
  const resolvers = {
    Query: { visits: (_parent: unknown, args: unknown) => ({ ...visits, args }) },
    Visits: {
      at: property("at"),
      days: property("days"),
      any: property("any"),
      args: property("args"),
    },
  };
  return openSchema(executableSchema(typeDefs, { resolvers, argumentSchemas: {}, argumentNames: {} }));
};

test.each([
  "2026-10-30T09:20:03+02:00",
  "2026-10-30T09:20:03.123456Z",
  "2026-10-30t09:20:03z",
  "2026-10-30T09:20:03", // REST's mistake stays in REST's words: it is no reason to lose the object
])("REST's text passes unchanged: %s", async (at) => {
  const pair = await open({ at, days: ["0001-01-01", "9999-12-31"] });
  const { data, errors } = await execute(pair, { query: "{ visits { at days } }" });
  expect(errors).toBeUndefined();
  expect(data).toEqual({ visits: { at, days: ["0001-01-01", "9999-12-31"] } });
});

test("a value of REST that is no text is an error at its path", async () => {
  const pair = await open({ at: 1793352003, days: ["2026-10-30", 5] });
  const { data, errors } = await execute(pair, { query: "{ visits { at days } }" });
  expect(data).toEqual({ visits: { at: null, days: null } });
  expect(errors).toMatchObject([
    { path: ["visits", "at"], extensions: { code: "BAD_UPSTREAM_RESPONSE" } },
    { path: ["visits", "days", 1], extensions: { code: "BAD_UPSTREAM_RESPONSE" } },
  ]);
});

test("a client's value of the format arrives as it was written", async () => {
  const pair = await open({});
  const query = `query ($since: DateTime, $days: [Date!]) {
    visits(since: $since, day: "2024-02-29", days: $days) { args }
  }`;
  const variables = { since: "2026-10-30T09:20:03.5+02:00", days: ["2026-10-30"] };
  const { data, errors } = await execute(pair, { query, variables });
  expect(errors).toBeUndefined();
  expect(data).toEqual({ visits: { args: { ...variables, day: "2024-02-29" } } });
});

test.each([
  ["yesterday", "2026-01-31T12:00:00Z"],
  ["2026-10-30T09:20:03", "2026-01-31T12:00:00Z"],
  ["2026-02-30T00:00:00Z", "2026-01-31T12:00:00Z"],
  [1793352003, "2026-01-31T12:00:00Z"],
  [{ year: 2026 }, "2026-01-31T12:00:00Z"],
])("another value is refused, and the error shows a good one: %j", async (since, good) => {
  const pair = await open({});
  const inVariable = await execute(pair, {
    query: "query ($since: DateTime) { visits(since: $since) { args } }",
    variables: { since },
  });
  expect(inVariable.errors).toMatchObject([{ extensions: { code: "BAD_USER_INPUT" } }]);
  expect(inVariable.errors?.[0]?.message).toContain(`It must be a time such as ${good}.`);
  const literal = typeof since === "object" ? "{ year: 2026 }" : JSON.stringify(since);
  const inText = await execute(pair, { query: `{ visits(since: ${literal}) { args } }` });
  expect(inText.errors).toMatchObject([{ extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }]);
  expect(inText.errors?.[0]?.message).toContain(`It must be a time such as ${good}.`);
});

test("a day is no time", async () => {
  const pair = await open({});
  const query = "query ($day: Date) { visits(day: $day) { args } }";
  const { errors } = await execute(pair, { query, variables: { day: "2026-10-30T00:00:00Z" } });
  expect(errors?.[0]?.message).toContain("It must be a date such as 2026-01-31.");
});
