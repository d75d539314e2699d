/** Forms of parts as a stock parser reads them. */
import { expect, test } from "vitest";
import { against, failureOf, ok, operations } from "./client.ts";

const table = {
  ...operations,
  "POST /messages": {
    id: "send",
    product: "A",
    media: "multipart/form-data",
    style: {
      "body:meta": { style: "json", explode: false },
      "body:tags": { style: "json", explode: false },
      "body:to": { style: "form", explode: true },
    },
  },
} as const;

/** What the server read, by Node's own parser. */
async function parsed(request = ""): Promise<[string, string | File][]> {
  const [, head = "", latin1 = ""] = /^([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(request) ?? [];
  const type = /\r\ncontent-type: (.*?)\r\n/i.exec(`${head}\r\n`)?.[1] ?? "";
  expect(type).toMatch(/^multipart\/form-data; boundary=/);
  const body = Buffer.from(latin1, "latin1");
  return [...(await new Response(body, { headers: { "content-type": type } }).formData())];
}

test("a form of parts has each value as it is, a list as repeated parts, and objects as JSON", async () => {
  const { rest, server } = await against(ok({}), {}, "", table);
  const text = 'two\nlines\r\n--x--\r\n"ä" 😀 ';
  const meta = { deep: [{ a: "\n" }] };
  const body = {
    text,
    to: [1, "b,c"],
    none: null,
    nobody: [],
    absent: undefined,
    empty: "",
    flag: false,
    meta,
    tags: ["a"],
  };
  await rest.post("/messages", { body });
  expect(await parsed(server.requests[0])).toEqual([
    ["text", text],
    ["to", "1"],
    ["to", "b,c"],
    ["empty", ""],
    ["flag", "false"],
    ["meta", JSON.stringify(meta)],
    ["tags", '["a"]'],
  ]);
  expect(server.requests[0]).toMatch(/name="meta"\r\ncontent-type: application\/json\r\n\r\n/);
});

test("no value and no name of a part adds another part, because each body has a random boundary", async () => {
  const { rest, server } = await against(ok({}), {}, "", table);
  await rest.post("/messages", { body: { text: "a" } });
  const [part = ""] =
    /--[\s\S]*$/.exec(server.requests[0]?.split("\r\n\r\n").slice(1).join("\r\n\r\n") ?? "") ?? [];
  const name = 'x"\r\n\r\n1\r\n';
  await rest.post("/messages", { body: { text: `\r\n${part}`, [name]: "1" } });
  expect(await parsed(server.requests[1])).toEqual([
    ["text", `\r\n${part}`],
    [name, "1"],
  ]);
});

test.each([
  { to: [["a"]] },
  { text: { a: 1 } },
  { to: [null] },
  { text: "\ud800" },
  { "\ud800": "a" },
  { meta: "\ud800" },
])("what no part can hold is refused before the call: %j", async (body) => {
  const { rest, server } = await against(ok({}), {}, "", table);
  expect(await failureOf(rest.post("/messages", { body }))).toMatchObject({
    code: "BAD_USER_INPUT",
    details: { argument: Object.keys(body)[0] },
  });
  expect(server.requests).toEqual([]);
});
