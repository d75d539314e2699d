/** Whose fault a value is that the encoder refuses: the client's argument, or the REST response that it was read from. */
import { buildSchema } from "graphql";
import { expect, test } from "vitest";
import { CodedError } from "../../../../src/engine/runtime/coded-error.ts";
import { argumentErrorTranslator } from "../../../../src/engine/runtime/graphql/errors/argument-names.ts";
import { against, failureOf, ok } from "../rest/client.ts";

const declared = buildSchema(`
  scalar JSON
  input Filter { ids: [ID] }
  type Query { none: ID, page(first: Int, mood: Mood): ID, ids(ids: [ID]): ID, renamed(keys: [ID]): ID, filter(filter: Filter): ID, any(body: JSON): ID }
  enum Mood { GLAD }
`)
  .getQueryType()
  ?.getFields();

test.each<
  [field: string, names: Record<string, string>, inheritsArguments: boolean, code: string, message: RegExp]
>([
  ["none", {}, false, "BAD_UPSTREAM_RESPONSE", /^listThings: a value from another REST response/],
  ["page", {}, false, "BAD_UPSTREAM_RESPONSE", /^listThings: a value from another REST response/],
  ["ids", {}, false, "BAD_USER_INPUT", /^argument "ids"/],
  ["renamed", { ids: "keys" }, false, "BAD_USER_INPUT", /^argument "keys"/],
  ["filter", {}, false, "BAD_USER_INPUT", /^argument "ids"/],
  ["any", {}, false, "BAD_USER_INPUT", /^argument "ids"/],
  ["none", {}, true, "BAD_USER_INPUT", /^argument "ids"/],
])(
  "a null in a list that a query cannot hold, of the field %s, %j, %s: %s",
  async (field, names, inheritsArguments, code, message) => {
    const { request, server } = await against(ok({}));
    const error = await failureOf(request().get("/things", { query: { ids: ["a", null] } }));
    const args = declared?.[field]?.args ?? [];
    const translated = argumentErrorTranslator({ names, schemas: {}, args, inheritsArguments })(error);
    expect(translated).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(server.requests).toEqual([]);
  },
);

const wrapped = buildSchema(`
  input CustomerInput { code: String, fullName: String, address: AddressInput }
  input AddressInput { city: String }
  input WrappedInput { customer: CustomerInput }
  type Query {
    one(input: WrappedInput): ID
    two(first: CustomerInput, second: CustomerInput): ID
    beside(code: String, customer: CustomerInput): ID
  }
`)
  .getQueryType()
  ?.getFields();

test.each<[field: string, rest: string, argument: string | undefined]>([
  ["one", "code", "input.customer.code"],
  ["one", "full_name", "input.customer.fullName"],
  ["one", "customer.code", "input.customer.code"],
  ["one", "city", undefined],
  ["one", "unknown", undefined],
  ["two", "code", undefined],
  ["beside", "code", "code"],
])("%s: REST names %s without the object that wraps it: %s", (field, rest, argument) => {
  const names: Record<string, string> =
    field === "one"
      ? { customer: "input.customer", "customer.full_name": "input.customer.fullName" }
      : field === "beside"
        ? { "customer.full_name": "customer.fullName" }
        : {};
  const args = wrapped?.[field]?.args ?? [];
  const error = new CodedError("BAD_USER_INPUT", "refused", {
    operation: "makeCustomer",
    errors: [{ argument: rest, detail: "value_already_exist" }],
  });
  const translated = argumentErrorTranslator({ names, schemas: {}, args, inheritsArguments: false })(error);
  const expected = argument === undefined ? {} : { argument };
  expect(translated).toHaveProperty("details.errors", [{ detail: "value_already_exist", ...expected }]);
});
