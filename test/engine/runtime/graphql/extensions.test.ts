/** The extensions of an error: the request's id, the REST operation, the permission, the limits. */
import { expect, test } from "vitest";
import { inFrontOf, send } from "./rest-stand-in.ts";

const agents = Array.from({ length: 50 }, (_, index) => ({
  id: `c${index}`,
  subject_line: "s",
  status: "open",
  contactId: `k${index}`,
  assigneeId: `a${index}`,
}));

test("the error names the missing permission, the operation and the request's id", async () => {
  const { ask } = await inFrontOf((_request, response) => send(response, {}, 403));
  const { data, errors } = await ask("{ agents { id } metrics { name } }");
  expect(data).toEqual({ agents: null, metrics: null });
  expect(errors?.[0]?.message).toBe("listAgents: the caller lacks the permission ai:agents:read");
  expect(errors?.map(({ extensions }) => extensions)).toEqual([
    {
      code: "FORBIDDEN",
      operation: "listAgents",
      permission: "ai:agents:read",
      requestId: expect.stringMatching(/^[\w-]{36}$/),
    },
    expect.objectContaining({ operation: "getMetrics", permission: "insights:metrics:read" }),
  ]);
});

test("a failed batched call is one error with the number of nulls", async () => {
  const { ask } = await inFrontOf(
    (request, response) =>
      request.url?.startsWith("/v1/inbox/conversations")
        ? send(response, { items: agents })
        : send(response, { code: "X" }, 403),
    {},
  );
  const { data, errors } = await ask("{ conversations { contact { id } assignee { id } } }");
  expect(data.conversations).toEqual(Array(50).fill({ contact: null, assignee: null }));
  expect(errors).toHaveLength(2);
  expect(errors).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        path: ["conversations", 0, "contact"],
        extensions: expect.objectContaining({ operation: "listContacts", places: 50, indexes: ["0-49"] }),
      }),
      expect.objectContaining({
        path: ["conversations", 0, "assignee"],
        extensions: expect.objectContaining({ operation: "listAgents", places: 50, indexes: ["0-49"] }),
      }),
    ]),
  );
});

test("the calls of a batch are in no answer of another caller to a document that was refused in it", async () => {
  const { post } = await inFrontOf((_request, response) => send(response, { items: [] }), {
    MAX_OPERATIONS: "2",
  });
  const answerTo = async (asked: unknown, own: Record<string, string>): Promise<string> => {
    const headers = { "content-type": "application/json", ...own };
    return (await post("", { headers, body: JSON.stringify(asked) })).text();
  };
  const refused = { query: "{ nothing }" };
  await answerTo(refused, { "x-api-key": "a" });
  const batch = [refused, { query: "{ agents { id } }" }];
  const calls = await answerTo(batch, { "x-api-key": "a", "x-explain-calls": "1" });
  expect(calls).toContain('"operation":"listAgents"');
  expect(await answerTo(refused, { "x-api-key": "b" })).not.toContain("calls");
});

test("two fields of one failed call have two errors", async () => {
  const { ask } = await inFrontOf((_request, response) => send(response, {}, 404));
  const { errors } = await ask("{ one: agents { id } other: agents { id } }");
  expect(errors?.map(({ path }) => path)).toEqual([["one"], ["other"]]);
});

test("the error for a value that REST refuses quotes the argument's description and nothing of REST's response", async () => {
  const problem = { argument: "to", detail: "CANARY" };
  const { ask } = await inFrontOf((_request, response) => send(response, problem, 400));
  const { errors } = await ask('{ metrics(from: "2026-02-01", to: "2026-01-01") { name } }');
  expect(errors).toMatchObject([
    {
      message:
        'argument "to" is not accepted. Its description: Last day, YYYY-MM-DD, not before from; without it the range ends today (UTC).',
      extensions: { code: "BAD_USER_INPUT", argument: "to", operation: "getMetrics" },
    },
  ]);
});

test("an invalid date is refused before any call", async () => {
  const { ask } = await inFrontOf((_request, response) => send(response, {}));
  const { errors } = await ask('{ metrics(from: "yesterday", to: "2026-01-01") { name } }');
  expect(errors).toMatchObject([
    {
      message: 'argument "from" must be a date such as 2026-01-31',
      extensions: { code: "BAD_USER_INPUT", argument: "from" },
    },
  ]);
});

test("a repeated refusal has the id of the repeated request", async () => {
  const { ask } = await inFrontOf((_request, response) => send(response, {}));
  const first = await ask("{ nothing }");
  const second = await ask("{ nothing }");
  const ids = [first, second].map(({ errors }) => errors?.[0]?.extensions.requestId);
  expect(ids[0]).toMatch(/^[\w-]{36}$/);
  expect(ids[1]).not.toBe(ids[0]);
});
