/** Links that are looked up in a whole list: one call for all parents, whatever their keys are. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { CodedError } from "../../../../src/engine/runtime/coded-error.ts";
import { execute, openPair } from "./pairs.ts";

const folder = join(import.meta.dirname, "../../build/codegen/cases/whole-lists");

const agents = ["1", "2", "3"].map((id) => ({ id, team: id === "3" ? "b" : "a" }));
const ticket = (id: string, agent_id: unknown, ...watcher_ids: unknown[]) => ({ id, agent_id, watcher_ids });

/** Executes a query over these answers, and returns the calls too. */
async function run(query: string, answers: Readonly<Record<string, unknown>>) {
  const calls: string[] = [];
  const get = async (path: unknown, init: unknown, ...result: unknown[]) => {
    const { path: values = {}, query: search = {} } = (init ?? {}) as Record<string, Record<string, unknown>>;
    const url = String(path).replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
    calls.push([url, ...Object.values(search).filter((value) => value !== undefined)].join(" "));
    const answer = answers[url];
    if (answer instanceof Error) throw answer;
    return result.length > 0 ? (answer as Record<string, unknown>)[String(result[0])] : answer;
  };
  const { data, errors } = await execute(await openPair(folder), { query }, { get, find: get });
  return { data, errors, calls };
}

test("many parents are one call; a number finds its text, and what the list does not have is null", async () => {
  const tickets = [
    ticket("a", 1, "2", "9"),
    ticket("b", 3),
    ticket("c", null, "3", "1"),
    ticket("d", 9),
    ticket("e", 1),
  ];
  const { data, errors, calls } = await run("{ tickets { id agent { id } watchers { id } } }", {
    "/tickets": tickets,
    "/agents": { data: agents },
  });
  expect(errors).toBeUndefined();
  const found = (id: string) => ({ id });
  expect(data).toEqual({
    tickets: [
      { id: "a", agent: found("1"), watchers: [found("2"), null] },
      { id: "b", agent: found("3"), watchers: [] },
      { id: "c", agent: null, watchers: [found("3"), found("1")] },
      { id: "d", agent: null, watchers: [] },
      { id: "e", agent: found("1"), watchers: [] },
    ],
  });
  expect(calls.sort()).toEqual(["/agents", "/agents", "/tickets"]); // reads of one URL, which are one call of the request
});

test("a whole map is looked up by its keys", async () => {
  const { data, calls } = await run("{ tickets { score { points } } }", {
    "/tickets": [ticket("a", 3), ticket("b", 9), ticket("c", 1)],
    "/scores": { 1: 10, 3: 30 },
  });
  expect(data).toEqual({ tickets: [{ score: { points: 30 } }, { score: null }, { score: { points: 10 } }] });
  expect(calls).toEqual(["/tickets", "/scores"]);
});

test("each parent gets all items that have its key", async () => {
  const { data, calls } = await run("{ agents { id mates { id } } }", { "/agents": { data: agents } });
  const a = [{ id: "1" }, { id: "2" }];
  const b = [{ id: "3" }];
  expect(data).toEqual({
    agents: [
      { id: "1", mates: a },
      { id: "2", mates: a },
      { id: "3", mates: b },
    ],
  });
  expect(calls).toEqual(["/agents", "/agents"]);
});

test("without a key there is no call", async () => {
  const { data, calls } = await run("{ tickets { agent { id } } }", { "/tickets": [ticket("a", null)] });
  expect([data, calls]).toEqual([{ tickets: [{ agent: null }] }, ["/tickets"]]);
});

test("an argument narrows the list for all parents, and each enclosing object has its own list", async () => {
  const narrowed = await run('{ tickets { agent(team: "a") { id } } }', {
    "/tickets": [ticket("a", 1), ticket("b", 3)],
    "/agents": { data: agents.slice(0, 2) },
  });
  expect(narrowed.data).toEqual({ tickets: [{ agent: { id: "1" } }, { agent: null }] });
  expect(narrowed.calls).toEqual(["/tickets", "/agents a"]);
  const labels = (color: string) => [{ name: "urgent", color }];
  const { data, calls } = await run("{ accounts { tickets { label { color } } } }", {
    "/accounts": [1, 2].map((id) => ({ id, tickets: [{ label: "urgent" }, {}, { label: "urgent" }] })),
    "/accounts/1/labels": labels("red"),
    "/accounts/2/labels": labels("blue"),
  });
  const of = (color: string) => ({ tickets: [{ label: { color } }, { label: null }, { label: { color } }] });
  expect(data).toEqual({ accounts: [of("red"), of("blue")] });
  expect(calls.sort()).toEqual(["/accounts", "/accounts/1/labels", "/accounts/2/labels"]);
});

test("a list that fails is one error, at all parents that have a key", async () => {
  const { data, errors } = await run("{ tickets { agent { id } } }", {
    "/tickets": [ticket("a", 1), ticket("b", null), ticket("c", 2)],
    "/agents": new CodedError("UPSTREAM_ERROR", "no list"),
  });
  expect(data).toEqual({ tickets: [{ agent: null }, { agent: null }, { agent: null }] });
  expect(errors).toMatchObject([{ path: ["tickets", 0, "agent"], extensions: { code: "UPSTREAM_ERROR" } }]);
  expect(errors).toHaveLength(1);
});

test.each([
  ["the list is no list", { data: {} }],
  ["an item has no key, and another one a key that is no text", { data: [{ team: "a" }, null, { id: {} }] }],
])("no parent gets another's object where %s", async (_, answer) => {
  const { data } = await run("{ tickets { agent { id } } }", {
    "/tickets": [ticket("a", 1)],
    "/agents": answer,
  });
  expect(data).toEqual({ tickets: [{ agent: null }] });
});
