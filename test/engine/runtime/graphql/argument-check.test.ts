/** All refused values of a field are in one error, so that a form is not sent once for each of them. */
import { expect, test } from "vitest";
import type { CodedError } from "../../../../src/engine/runtime/coded-error.ts";
import { type Args, argumentCheck } from "../../../../src/engine/runtime/graphql/errors/argument-check.ts";

const name = { minLength: 1, maxLength: 5, pattern: "^[a-z]*$" };
const schemas = {
  title: name,
  stage: { enum: ["a", "b"] },
  input: {
    properties: {
      email: { format: "email" },
      names: { items: name, maxItems: 2_000, uniqueItems: true },
      author: { properties: { year: { minimum: 1900 }, name } },
      either: { anyOf: [{ type: "null" }, { properties: { name } }] },
    },
  },
};

const check = (args: object, context: object = {}): CodedError | undefined =>
  argumentCheck(schemas, [])(args as Args, undefined, context as never);

test("an accepted field has no error, and one refused value is named", () => {
  expect(check({ title: "abc", stage: "a", input: { names: ["a"] } })).toBeUndefined();
  const error = check({ title: "", stage: "a" });
  expect(error?.message).toBe('argument "title" must not be empty');
  expect(error?.details).toEqual({
    argument: "title",
    errors: [{ argument: "title", detail: "must not be empty" }],
  });
});

test("each refused argument, member and item has an entry, in the order of the schemas", () => {
  const error = check({
    title: "",
    stage: "c",
    input: { email: "x", names: ["ok", "", "TOO-LONG"], author: { year: 3, name: "B" } },
  });
  expect(error?.code).toBe("BAD_USER_INPUT");
  expect(error?.details.argument).toBe("title");
  expect(error?.details.errors).toEqual([
    { argument: "title", detail: "must not be empty" },
    { argument: "stage", detail: "must be one of a, b" },
    { argument: "input.email", detail: "must be an e-mail address" },
    { argument: "input.names.1", detail: "must not be empty" },
    { argument: "input.names.2", detail: "must be at most 5 characters long" },
    { argument: "input.author.year", detail: "must be at least 1900" },
    { argument: "input.author.name", detail: "does not have the form that it needs: ^[a-z]*$" },
  ]);
  expect(error?.message.split("; ")).toHaveLength(5);
});

test("a value that fits none of several schemas has one entry", () => {
  const { errors } = check({ input: { either: { name: "B" }, email: "x" } })?.details ?? {};
  expect(errors?.map(({ argument }) => argument)).toEqual(["input.email", "input.either"]);
});

test("an error has at most 20 entries, and a large value one", () => {
  const names = (count: number) => ({
    input: { names: Array.from({ length: count }, (_, n) => `TOO-LONG-${n}`) },
  });
  expect(check(names(900))?.details.errors).toHaveLength(20);
  expect(check(names(1_100))?.details.errors).toHaveLength(1);
});

test("the errors of a request list 100 values, and then one each", () => {
  const context = {};
  const names = Array.from({ length: 30 }, (_, n) => `TOO-LONG-${n}`);
  const lengths = Array.from(
    { length: 8 },
    () => check({ input: { names } }, context)?.details.errors?.length,
  );
  expect(lengths).toEqual([20, 20, 20, 20, 20, 1, 1, 1]);
});

test("the patterns of all checks share the request's budget", () => {
  const context = { steps: { left: 1_000_000 } };
  check({ input: { names: ["ok", "B", "C"] } }, context);
  const used = 1_000_000 - context.steps.left;
  check({ input: { names: ["ok", "B", "C"] } }, context);
  expect(1_000_000 - context.steps.left).toBe(2 * used);
  context.steps.left = 0;
  expect(check({ input: { names: ["ok", "B", "C"] } }, context)).toBeUndefined();
});
