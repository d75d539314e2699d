/** Clients and logs get codes, paths and names of a failure, and never the data that REST sent. */
import { describe, expect, test, vi } from "vitest";
import { Apollo } from "../../../../src/engine/runtime/graphql/apollo.ts";
import { executableSchema } from "../../../../src/engine/runtime/graphql/executable-schema.ts";
import { requestResult } from "../../../../src/engine/runtime/graphql/graphql-over-http.ts";
import { LogLines } from "../../../../src/engine/runtime/observe/log-lines.ts";
import { configure } from "./configure.ts";
import { freeScope } from "./free-scope.ts";
import { inFrontOf, me, send } from "./rest-stand-in.ts";

const agent = { id: "1", name: "Ada", kind: "human", availability: "online" };

/** Captures standard output, which holds the logs. */
function logged(): () => string {
  const write = vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  return () => {
    const text = write.mock.calls.map(([chunk]) => String(chunk)).join("");
    write.mockRestore();
    return text;
  };
}

describe("a response that violates the contract", () => {
  test.each<[name: string, answer: unknown, query: string, data: unknown, path: (string | number)[]]>([
    [
      "null where a value must be",
      { ...me, email: null },
      "{ me { id email } }",
      { me: null },
      ["me", "email"],
    ],
    ["a missing property", { id: "1" }, "{ me { id tenantId } }", { me: null }, ["me", "tenantId"]],
    [
      "an object for a string",
      { ...me, email: { CANARY: 1 } },
      "{ me { id email } }",
      { me: null },
      ["me", "email"],
    ],
    ["a string for a list", { ...me, roles: "CANARY" }, "{ me { roles } }", { me: null }, ["me", "roles"]],
    ["null in a list", { ...me, roles: ["a", null] }, "{ me { roles } }", { me: null }, ["me", "roles", 1]],
    ["a list for an object", ["CANARY"], "{ me { id } }", { me: null }, ["me"]],
    ["text for an object", "CANARY", "{ me { id } }", { me: null }, ["me"]],
    ["an object for a list", { items: { CANARY: 1 } }, "{ agents { id } }", { agents: null }, ["agents"]],
    [
      "an item that is not an object",
      { items: [agent, "CANARY"] },
      "{ agents { id } }",
      { agents: null },
      ["agents", 1],
    ],
    ["null for an object", null, "{ me { id } }", { me: null }, ["me"]],
    [
      "null for an object that a 404 may lack",
      null,
      '{ contact(id: "1") { id } }',
      { contact: null },
      ["contact"],
    ],
    ["null for a page", null, "{ agents { id } }", { agents: null }, ["agents"]],
    ["an object without its list", {}, "{ agents { id } }", { agents: null }, ["agents"]],
    ["null for the list of a page", { items: null }, "{ agents { id } }", { agents: null }, ["agents"]],
    [
      "an unknown enum value",
      { items: [agent, { ...agent, kind: "CANARY" }] },
      "{ agents { kind } }",
      { agents: null },
      ["agents", 1, "kind"],
    ],
  ])("%s: null bubbles to the nearest nullable field", async (_name, answer, query, data, path) => {
    const { ask } = await inFrontOf((_request, response) => send(response, answer));
    const result = await ask(query);
    expect(result.data).toEqual(data);
    expect(result.errors).toMatchObject([{ path, extensions: { code: "BAD_UPSTREAM_RESPONSE" } }]);
    expect(JSON.stringify(result)).not.toContain("CANARY");
  });

  test("leaves the sibling fields alone", async () => {
    const { ask } = await inFrontOf(
      (request, response) => send(response, request.url?.includes("agents") ? { items: [agent] } : "CANARY"),
      {},
    );
    expect(await ask("{ me { id } agents { id } }")).toMatchObject({
      data: { me: null, agents: [{ id: "1" }] },
    });
  });
});

test("no undeclared text of a failed REST response reaches a client or a log", async () => {
  const answers: [number, Record<string, string>, string][] = [
    [200, { "content-type": "text/html" }, "<b>CANARY</b>"],
    [200, { "content-type": "application/json" }, '{"CANARY":'],
    [200, { "content-type": "application/json" }, '{"id":{"CANARY":1},"email":"CANARY"}'],
    [302, { location: "http://CANARY.example/" }, ""],
    [400, { "content-type": "application/problem+json" }, '{"debug":"CANARY","argument":"CANARY"}'],
    [500, { "x-canary": "CANARY" }, "CANARY"],
    [503, { "retry-after": "CANARY" }, "CANARY"],
  ];
  const output = logged();
  const shown: string[] = [];
  for (const [status, headers, body] of answers) {
    const { post } = await inFrontOf((_request, response) => response.writeHead(status, headers).end(body), {
      LOG_LEVEL: "debug",
    });
    const answer = await post("{ me { id email } agents { id kind } }");
    shown.push(JSON.stringify([...answer.headers]), await answer.text());
  }
  const lines = output();
  const failed = lines.split("\n").filter((line) => /"level":50.*"field failed"/.test(line));
  expect(failed.length).toBeGreaterThan(0);
  // REST broke the document: the line says how and where, and has no stack of ours
  for (const line of failed)
    expect(JSON.parse(line)).toEqual(
      expect.objectContaining({ path: expect.any(String), reason: expect.any(String) }),
    );
  expect(lines).not.toContain("CANARY");
  expect(shown.join()).not.toMatch(/CANARY|127\.0\.0\.1/);
});

describe("a field that fails for everybody", () => {
  const fieldLines = (text: string): number => text.split('"msg":"field failed"').length - 1;

  test.each<[string, unknown, number, string]>([
    ["a value that breaks REST's contract", { items: [{ ...agent, name: null }] }, 200, "warn"],
    ["a failed call", {}, 500, "info"],
  ])(
    "%s, writes 20 lines a minute, whatever its clients call the field",
    async (_what, value, status, level) => {
      const output = logged();
      const { post } = await inFrontOf((_request, response) => send(response, value, status), {
        LOG_LEVEL: level,
      });
      for (let count = 0; count < 30; count++) await (await post(`{ a${count}: agents { name } }`)).text();
      expect(fieldLines(output())).toBe(20);
    },
  );

  test("another field is still logged", async () => {
    const output = logged();
    const wrong = (url = "") =>
      url.includes("agents") ? { items: [{ ...agent, name: null }] } : { id: null };
    const { post } = await inFrontOf(({ url }, response) => send(response, wrong(url)), {
      LOG_LEVEL: "warn",
    });
    for (let count = 0; count < 30; count++) await (await post("{ agents { name } }")).text();
    await (await post("{ me { id } }")).text();
    expect(fieldLines(output())).toBe(21);
  });
});

test("a fault of ours is masked, and logged with the id that the client gets", async () => {
  const broken = () => {
    throw new TypeError("an INTERNAL detail");
  };
  const schema = executableSchema("type Query { broken: String }", {
    resolvers: { Query: { broken } },
    argumentSchemas: {},
    argumentNames: {},
  });
  const lines: unknown[] = [];
  const log = {
    error: (line: unknown) => lines.push(line),
    info: () => {},
    warn: () => {},
    debug: () => {},
  };
  const apollo = new Apollo({
    config: configure(),
    schema,
    log: log as never,
    executions: { count: 0 },
  });
  const context = {
    rest: { forField: () => ({}) },
    requestId: "request-1",
    log: new LogLines(log as never, "off"),
    scope: freeScope,
  } as never;
  await apollo.start();
  const response = await apollo.executeOperation({ query: "{ broken }" }, { contextValue: context });
  await apollo.stop();
  expect(JSON.parse(JSON.stringify(requestResult(response, "request-1")))).toEqual({
    data: { broken: null },
    errors: [
      {
        message: "internal error",
        locations: [{ line: 1, column: 3 }],
        path: ["broken"],
        extensions: { code: "INTERNAL_SERVER_ERROR", requestId: "request-1" },
      },
    ],
  });
  expect(lines).toMatchObject([{ err: { message: "an INTERNAL detail" }, requestId: "request-1" }]);
});
