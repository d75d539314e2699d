/** Parameters in front of a server that refuses a query with a character that RFC 3986 §3.4 does not allow, as Tomcat does. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { against } from "../rest/client.ts";
import { http } from "../rest/raw-server.ts";
import { execute, openPair } from "./pairs.ts";

const folder = join(import.meta.dirname, "../../build/codegen/cases/query-objects");

async function opened() {
  const { operations } = await import(`${folder}/generated/operations.ts`);
  const { rest, server } = await against(
    (socket, request) => {
      const [, target = ""] = request.split(" ");
      const [, search = ""] = /\?(.*)$/.exec(target) ?? [];
      const isAllowed = /^[\w\-.~!$&'()*+,;=:@/?%]*$/.test(search);
      socket.write(isAllowed ? http(200, "[]") : http(400, "<h1>400</h1>", { "content-type": "text/html" }));
    },
    {},
    "",
    operations,
  );
  const pair = await openPair(folder);
  const ask = (query: string) => execute(pair, { query }, { get: rest.get.bind(rest) as never });
  const sent = () =>
    server.requests.map((each) => [...new URL(each.split(" ")[1] ?? "", "http://x").searchParams]);
  return { ask, sent, server };
}

test("names and values of each style arrive", async () => {
  const { ask, sent, server } = await opened();
  const { errors } = await ask(
    `{ notes(filter: { createdAfter: "[a|b]" }, kinds: ["x", "y z"], size: "{1}", tags: ["a b", "c,d"],
       words: ["a|b", "c"], folder: "/a/b?c#d", page: { size: 2 }) { id } }`,
  );
  expect(errors).toBeUndefined();
  expect(sent()).toEqual([
    [
      ["filter[created_after]", "[a|b]"],
      ["page", "size,2"],
      ["kind[in]", "x,y z"],
      ["größe & x", "{1}"],
      ["tags", "a b|c,d"],
      ["words", "a|b c"],
      ["folder", "/a/b?c#d"],
    ],
  ]);
  expect(server.requests[0]).toContain("&folder=/a/b?c%23d ");
});

test.each([
  [
    'tags: ["a|b"]',
    'argument "tags" must not contain "|", which separates its items. Its description: Tags without a bar.',
    "tags",
  ],
  ['words: ["a", "b c"]', 'argument "words" must not contain " ", which separates its items.', "words"],
  [
    'trace: { spanId: "a,b" }',
    'argument "trace" must not have items in a header that are empty, begin or end with a space, or contain ",".',
    "trace",
  ],
])("%s is refused before the call", async (given, message, argument) => {
  const { ask, server } = await opened();
  const { errors } = await ask(`{ notes(${given}) { id } }`);
  expect(errors).toMatchObject([{ message, extensions: { code: "BAD_USER_INPUT", argument } }]);
  expect(server.requests).toEqual([]);
});
