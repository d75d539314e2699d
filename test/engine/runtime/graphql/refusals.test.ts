/** What clients see of the bodies with which REST refuses a request, by the errors of several frameworks. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { openApi } from "./pairs.ts";
import { type Failure, inFrontOf } from "./rest-stand-in.ts";

const folder = join(import.meta.dirname, "../../build/codegen/cases/refusals");

type Refusal = { status: number; body: unknown; type?: string };

/** Asks one operation, which REST refuses. Returns message and extensions, without the request's id. */
async function refusals() {
  let answer: Refusal = { status: 400, body: {} };
  const { post } = await inFrontOf(
    (request, response) => {
      request.resume();
      response.writeHead(answer.status, { "content-type": answer.type ?? "application/json" });
      response.end(JSON.stringify(answer.body));
    },
    {},
    await openApi(folder),
  );
  return async (query: string, given: Refusal, headers: Record<string, string> = {}) => {
    answer = given;
    const response = await post(query, { headers: { "content-type": "application/json", ...headers } });
    const text = await response.text();
    const [error] = (JSON.parse(text) as { errors: Failure[] }).errors;
    const { requestId: _, ...extensions } = error?.extensions ?? { code: "" };
    return { message: error?.message, ...extensions, text };
  };
}

const problem = (status: number, body: object): Refusal => ({
  status,
  type: "application/problem+json; charset=utf-8",
  body: { type: "https://errors.example/CANARY", status, instance: "/CANARY", trace: "CANARY", ...body },
});

const article = `mutation { createArticle(input: { title: "", tags: [{ tagName: "a" }, { tagName: "b" }], author: { birthYear: 3 } }) { id } }`;

test("problem details: title, detail, and each pointer as the argument that feeds it", async () => {
  const refused = await refusals();
  const error = await refused(
    article,
    problem(422, {
      title: "Your request is not valid.",
      detail: "Two values are refused.",
      errors: [
        { detail: "must not be empty", pointer: "#/title" },
        { detail: "must be a word", pointer: "#/tags/1/tag_name", note: "CANARY" },
        { detail: "must be after 1900", pointer: "/author/birth_year" },
        { detail: "is no property", pointer: "#/nothing" },
      ],
    }),
  );
  expect(error).toMatchObject({
    message:
      "Two values are refused: input.title: must not be empty; input.tags.1.tagName: must be a word; input.author.birthYear: must be after 1900; is no property",
    code: "BAD_USER_INPUT",
    operation: "createArticle",
    title: "Your request is not valid.",
    detail: "Two values are refused.",
    argument: "input.title",
    errors: [
      { argument: "input.title", detail: "must not be empty" },
      { argument: "input.tags.1.tagName", detail: "must be a word" },
      { argument: "input.author.birthYear", detail: "must be after 1900" },
      { detail: "is no property" },
    ],
  });
  expect(error.text).not.toContain("CANARY");
  const conflict = await refused(article, problem(409, { title: "Conflict", detail: "The title is taken." }));
  expect(conflict).toMatchObject({ code: "CONFLICT", message: "The title is taken." });
});

test("problem details show what their schema declares, or title and detail where it says nothing", async () => {
  const refused = await refusals();
  const query = '{ article(id: "1") { id } }';
  const body = { title: "Gone for good", detail: "Moved to the archive.", errors: ["CANARY"] };
  expect(await refused(query, problem(400, body))).toMatchObject({
    message: "Moved to the archive.",
    title: "Gone for good",
    detail: "Moved to the archive.",
  });
  const gone = await refused(query, problem(410, body));
  expect(gone).toMatchObject({ message: "Gone for good", title: "Gone for good" });
  expect(gone.text).not.toMatch(/archive|CANARY/);
});

test("a title that is the phrase of the status is no message", async () => {
  const refused = await refusals();
  const error = await refused(article, problem(422, { title: "Unprocessable Entity" }));
  expect(error).toMatchObject({
    message: "createArticle: the input is refused",
    title: "Unprocessable Entity",
  });
});

test.each<[string, string, Refusal, object]>([
  [
    "a message with a list of texts",
    'mutation { createNote(title: "") { id } }',
    {
      status: 400,
      body: {
        error: { message: "Invalid Input Provided", errors: ["Title can't be blank"], trace: "CANARY" },
      },
    },
    {
      message: "Invalid Input Provided: Title can't be blank",
      detail: "Invalid Input Provided",
      errors: [{ detail: "Title can't be blank" }],
    },
  ],
  [
    "a map of the refused values",
    'mutation { createPerson(email: "", bornOn: "x") { id } }',
    {
      status: 422,
      body: {
        message: "The given data was invalid.",
        errors: { email: ["The email field is required."], born_on: ["is no date", "is too long"] },
      },
    },
    {
      message:
        "The given data was invalid: The email field is required.; bornOn: is no date; bornOn: is too long",
      argument: "email",
      errors: [
        { argument: "email", detail: "The email field is required." },
        { argument: "bornOn", detail: "is no date" },
        { argument: "bornOn", detail: "is too long" },
      ],
    },
  ],
  [
    "objects with the steps to the value",
    "{ orders(first: 900) { id } }",
    {
      status: 422,
      body: { detail: [{ loc: ["query", "per_page"], msg: "is more than 100", type: "less_than_equal" }] },
    },
    {
      message: "first: is more than 100",
      argument: "first",
      errors: [{ argument: "first", detail: "is more than 100", restCode: "less_than_equal" }],
    },
  ],
  [
    "one error with a code and the name of the value",
    "mutation { createCharge(amount: 1) { id } }",
    {
      status: 402,
      body: { error: { message: "Your card was declined.", code: "card_declined", param: "amount" } },
    },
    {
      code: "UPSTREAM_ERROR",
      message: "amount: Your card was declined.",
      detail: "Your card was declined.",
      restCode: "card_declined",
      argument: "amount",
    },
  ],
])("a declared shape: %s", async (_name, query, answer, expected) => {
  const error = await (await refusals())(query, answer);
  expect(error).toMatchObject(expected);
  expect(error.text).not.toContain("CANARY");
});

test("nothing is shown of refused credentials, of faults, or of what no document declares", async () => {
  const refused = await refusals();
  const canary = { title: "CANARY", detail: "CANARY" };
  for (const answer of [
    ...[401, 403, 418, 500, 503].map((status) => problem(status, canary)),
    { status: 422, body: canary },
    problem(422, { title: { a: "CANARY" }, detail: ["CANARY"], errors: "CANARY" }),
    problem(422, { detail: "CANARY", more: "x".repeat(70_000) }),
  ])
    expect((await refused(article, answer)).text, JSON.stringify(answer).slice(0, 200)).not.toContain(
      "CANARY",
    );
  const body = { error: { message: "CANARY", code: "CANARY", param: "amount" } };
  for (const status of [401, 403, 407, 500])
    expect(
      (await refused("mutation { createCharge(amount: 1) { id } }", { status, body })).text,
      `default: ${status}`,
    ).not.toContain("CANARY");
});

test("texts are one line, bounded, and few", async () => {
  const refused = await refusals();
  const long = `a\u0000\u001b[31m\n\t b\u202e\u2028c${"😀".repeat(300)}`;
  const errors = Array.from({ length: 25 }, () => ({ detail: long, pointer: "#/title" }));
  const error = (await refused(article, problem(422, { title: long, detail: long, errors }))) as unknown as {
    message: string;
    title: string;
    detail: string;
    errors: { detail: string }[];
    text: string;
  };
  expect(error.detail).toMatch(/^a \[31m b c😀+…$/u);
  expect(error.detail.length).toBeLessThanOrEqual(300);
  expect(error.detail.isWellFormed()).toBe(true);
  expect(error.message.length).toBeLessThanOrEqual(500);
  expect(error.errors).toHaveLength(20);
  expect(error.text.length).toBeLessThan(16_000);
});

test("a body that repeats a credential of the request shows nothing", async () => {
  const refused = await refusals();
  const secret = 'sk_live_"quoted"';
  const body = { title: "Bad key", detail: "The key is known.", debug: `key ${secret}` };
  for (const [headers, isShown] of [
    [{ "x-api-key": secret }, false],
    [{ authorization: `Bearer ${secret}` }, false],
    [{ authorization: "Bearer another-key" }, true],
  ] as const) {
    const error = await refused(article, problem(422, body), headers);
    expect([Reflect.get(error, "title"), error.message]).toEqual(
      isShown ? ["Bad key", "The key is known."] : [undefined, "createArticle: the input is refused"],
    );
  }
});

test.each<[string, string, string]>([
  ["percent-encoded", "k+y/sekrit==", "GET /x?key=k%2By%2Fsekrit%3D%3D"],
  ["percent-encoded twice", "k+y/sekrit==", "k%252By%252Fsekrit"],
  ["HTML-escaped", "k+y/sekrit", "k&#43;y&#x2F;sekrit"],
  ["in other case", "SeKrit-1234", "sekrit-1234"],
  ["escaped twice", 'se"krit-1234', 'se\\"krit-1234'],
  ["as a path", "sekrit.12345", "/sekrit/12345"],
  ["decoded from Basic", `Basic ${Buffer.from("harbor:pass-word").toString("base64")}`, "wrong: pass-word"],
  ["behind another scheme", "SSWS sekrit-1234", "sekrit-1234"],
  ["of a parameter of another scheme", 'Token token="sekrit-1234", x="y"', "sekrit-1234"],
])("a body that repeats a credential %s shows nothing", async (_, value, repeated) => {
  const refused = await refusals();
  const header: Record<string, string> = /^\S+ /.test(value)
    ? { authorization: value }
    : { "x-api-key": value };
  const error = await refused(article, problem(422, { title: "Bad", detail: `Say: ${repeated}.` }), header);
  expect(error.message).toBe("createArticle: the input is refused");
});

test("each caller gets the text of its own refusal only", async () => {
  const { post } = await inFrontOf(
    (request, response) => {
      response.writeHead(400, { "content-type": "application/problem+json", "cache-control": "max-age=60" });
      response.end(
        JSON.stringify({ detail: `No such article of ${request.headers["x-api-key"]?.slice(-1)}.` }),
      );
    },
    {},
    await openApi(folder),
  );
  const messageFor = async (caller: string) => {
    const headers = { "content-type": "application/json", "x-api-key": `a-long-key-of-${caller}` };
    const { errors } = (await (await post('{ article(id: "1") { id } }', { headers })).json()) as {
      errors: Failure[];
    };
    return errors[0]?.message;
  };
  const callers = ["a", "b", "a", "c", "b", "c"];
  for (let times = 0; times < 3; times++)
    expect(await Promise.all(callers.map(messageFor))).toEqual(
      callers.map((caller) => `No such article of ${caller}.`),
    );
});
