/** A process survives a failure that nobody read, tells it, and ends with a fault of the program. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const file = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

/** Runs graphql-js on a list whose first item fails late and whose second item fails at once. */
const abandoning = `
  const { buildSchema, execute, parse } = await import("graphql");
  const schema = buildSchema("type Query { items: [Item!] } type Item { late: Int! name: String! }");
  const late = () => new Promise((_, reject) => setTimeout(reject, 20, new Error("late")));
  const rootValue = { items: [{ late, name: "a" }, { late: 1, name: null }] };
  await execute({ schema, rootValue, document: parse("{ items { late name } }") });`;

const guarding = `
  const { surviveUnreadRejections } = await import(${file("../../src/engine/process/unread-rejections.ts")});
  const { subscribe } = await import(${file("../../src/engine/observe/observer.ts")});
  subscribe({ rejectionUnread: (code) => console.log("counted " + code) });
  surviveUnreadRejections({ level: "error", error: ({ err }, told) => console.log(told + ": " + err.message) });`;

function run(guard: string, script: string): { status: number | null; stdout: string } {
  const text = `${guard}\n${script}\nsetTimeout(() => process.exit(7), 200);`;
  const args = ["--input-type=module", "-e", text];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, stdout };
}

test("an error that graphql-js abandons is counted and logged", () => {
  expect(run("", abandoning).status).toBe(1); // once this is 7, graphql-js has fixed it
  expect(run(guarding, abandoning)).toEqual({
    status: 7,
    stdout: "counted INTERNAL_SERVER_ERROR\nnobody read a failure: late\n",
  });
});

test("so is a coded error that nobody reads", () => {
  const script = `Promise.reject((await import(${file("../../src/engine/errors.ts")})).clientLeft());`;
  expect(run("", script).status).toBe(1);
  expect(run(guarding, script)).toEqual({
    status: 7,
    stdout: "counted CLIENT_CLOSED_REQUEST\nnobody read a failure: the client left before the answer\n",
  });
});

test("a fault of the program ends the process", () => {
  expect(run(guarding, `Promise.reject(new TypeError("ours"));`)).toEqual({ status: 1, stdout: "" });
});
