/** A process survives an error that graphql-js abandoned. Any other unhandled rejection ends it. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const moduleUrl = new URL("../../src/engine/graphql/errors/abandoned-errors.ts", import.meta.url);

/** Runs graphql-js on a list whose first item fails late and whose second item fails at once. */
const abandoning = `
  const { buildSchema, execute, parse } = await import("graphql");
  const schema = buildSchema("type Query { items: [Item!] } type Item { late: Int! name: String! }");
  const late = () => new Promise((_, reject) => setTimeout(reject, 20, new Error("late")));
  const rootValue = { items: [{ late, name: "a" }, { late: 1, name: null }] };
  await execute({ schema, rootValue, document: parse("{ items { late name } }") });`;

function exitCode(guard: string, script: string): number | null {
  const text = `${guard}\n${script}\nsetTimeout(() => process.exit(7), 200);`;
  return spawnSync(process.execPath, ["--input-type=module", "-e", text]).status;
}

test("only abandoned GraphQL errors are ignored", () => {
  const guard = `(await import(${JSON.stringify(moduleUrl.href)})).letAbandonedErrorsGo();`;
  expect(exitCode("", abandoning)).toBe(1); // once this is 7, graphql-js has fixed it and the guard can be removed
  expect(exitCode(guard, abandoning)).toBe(7);
  expect(exitCode(guard, `Promise.reject(new Error("ours"));`)).toBe(1);
});
