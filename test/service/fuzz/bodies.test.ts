/** Whatever arrives as the body of a request: bytes, JSON, nearly GraphQL, documents with pieces changed, batches. */
import fc, { type Arbitrary } from "fast-check";
import { test } from "vitest";
import { fuzz, timeout } from "./fuzz.ts";
import { jsonText, mutated, objectText } from "./hostile.ts";
import { operations } from "./operations.ts";
import { openRole } from "./role.ts";

const pieces: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...'{}()[]:!$@=|&"\\#,.\n\0',
    "...",
    '"""',
    "query ",
    "mutation ",
    "subscription ",
    "fragment A on ",
  ),
  fc.constantFrom(
    "...A",
    "@include(if: true)",
    "@defer",
    "__schema { types { name } }",
    "__proto__",
    "\ud800",
    "\ufeff",
  ),
  fc.constantFrom(
    "1e400",
    "-0",
    "null",
    "$first",
    "__typename",
    "{ me { id } }",
    "(id: 1)",
    "(first: 1e9)",
    "on Query",
  ),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const document: Arbitrary<string> = mutated(
  fc.constantFrom(
    ...operations,
    "{ __schema { types { name fields { name } } } }",
    "query A { me { id } } query B { a }",
  ),
  pieces,
);
const documentText = document.map((text) => JSON.stringify(text));

const oneOf = (likely: Arbitrary<string>): Arbitrary<string> =>
  fc.oneof({ weight: 9, arbitrary: likely }, { weight: 1, arbitrary: jsonText });

/** A request that is nearly one (GraphQL over HTTP §5.1). */
const nearly: Arbitrary<string> = objectText(
  fc.oneof(
    { weight: 5, arbitrary: fc.tuple(fc.constant("query"), oneOf(documentText)) },
    fc.tuple(fc.constant("variables"), oneOf(objectText(fc.tuple(fc.string({ maxLength: 5 }), jsonText)))),
    fc.tuple(fc.constant("operationName"), oneOf(fc.constantFrom('"A"', '"Lists"', '""', '"__proto__"'))),
    fc.tuple(fc.constant("extensions"), oneOf(objectText(fc.tuple(fc.constant("persistedQuery"), jsonText)))),
  ),
);
const batch = fc.array(nearly, { maxLength: 3 }).map((all) => `[${all.join()}]`);

const body: Arbitrary<Buffer> = fc.oneof(
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 2, arbitrary: jsonText.map((text) => Buffer.from(text)) },
  { weight: 8, arbitrary: documentText.map((text) => Buffer.from(`{"query":${text}}`)) },
  { weight: 6, arbitrary: nearly.map((text) => Buffer.from(text)) },
  { weight: 2, arbitrary: batch.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: mutated(nearly, pieces).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: nearly.map((text) => Buffer.from(text, "utf16le")) },
);

const type: Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.constant("content-type: application/json") },
  fc.constantFrom(
    "content-type: application/json; charset=utf-16",
    "content-type: application/graphql-response+json",
    "content-type: application/graphql",
    "content-type: text/plain",
    "content-type: application/x-www-form-urlencoded",
    "content-type: multipart/form-data; boundary=a",
    "content-type: application/json;;=;",
    "content-type: application/__proto__",
    "content-type:",
    "content-encoding: gzip\r\ncontent-type: application/json",
    "x-no-type: 1",
  ),
  fc.stringMatching(/^[ -~]{0,40}$/).map((value) => `content-type: ${value}`),
);
const accept = fc.constantFrom(
  "accept: */*",
  "accept: application/json",
  "accept: application/graphql-response+json",
  "accept: text/html",
  "accept: multipart/mixed;deferSpec=20220824",
);

test("any body gets a response that HTTP and GraphQL over HTTP allow", { timeout }, async () => {
  const { post } = await openRole();
  const reached = { data: 0, refused: 0 };
  await fuzz("bodies", fc.tuple(body, type, accept), reached, async ([bytes, ...headers]) => {
    const { body: text } = await post(bytes, headers);
    reached[text.startsWith('{"data"') || text.includes(',"data":{') ? "data" : "refused"]++;
  });
});
