/** Links that take a value from an enclosing object: each gets that of its own, however many stand side by side. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { CodedError } from "../../../../src/engine/runtime/coded-error.ts";
import { execute, openPair, type Pair } from "./pairs.ts";

const folder = join(import.meta.dirname, "../../build/codegen/cases/inherited-values");

type Call = {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query?: { readonly ids?: number[] };
};

/** What requests share is never changed: here a change throws. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

const inbox = { name: "shared" };
const account = (id: number) => ({
  id,
  name: `account ${id}`,
  inbox,
  ...(id !== 2 && { owner: { login: `owner${id}` } }),
});
const conversation = frozen({ id: 7, subject: "of both", assignee_id: 70 });
const member = (id: number, account_id: number) => ({ kind: "member", id, account_id });

/** Every account has the same conversation, as one and the same object of REST. */
const answers: Readonly<Record<string, (call: Call) => unknown>> = {
  "/accounts": () => [account(1), account(2), account(3)],
  "/accounts/{id}": ({ path }) => account(Number(path.id)),
  "/accounts/{account_id}/conversations": () => ({
    items: [conversation, { id: 8, assignee_id: 80 }, { id: 9, assignee_id: null }],
    next: null,
  }),
  "/accounts/{account_id}/conversations/{conversation_id}/messages": ({ path }) => [
    {
      id: Number(path.account_id) * 100 + Number(path.conversation_id),
      by: { kind: "record", id: `r${path.account_id}`, parts: [{ name: "head" }] },
    },
    { id: 1, by: member(5, 3) },
  ],
  "/accounts/{account_id}/members": ({ path }) => [member(Number(path.account_id) * 10, 1)],
  "/accounts/{account_id}/members/find": ({ path, query }) =>
    query?.ids?.map((id) => member(id, Number(path.account_id))),
  "/members/find": ({ query }) => query?.ids?.map((id) => member(id, 0)),
  "/accounts/{account_id}/members/{member_id}/seen": ({ path }) => path.account_id === path.member_id,
  "/accounts/{account_id}/labels/{owner}": ({ path }) => ({
    items: [{ name: `${path.account_id} ${path.owner}` }],
    next: null,
  }),
  "/accounts/{account_id}/records/{record_id}/parts/{name}": ({ path }) => Object.values(path).join(" "),
};

/** Executes a query, and returns its result and the calls, each as its path with the values, and its keys. */
async function run(pair: Pair, query: string, own: typeof answers = {}) {
  const calls: string[] = [];
  const get = async (template: unknown, init: unknown) => {
    const call = { path: {}, ...(init as object) } as Call;
    const url = String(template).replace(/\{(\w+)\}/g, (_, name) => String(call.path[name]));
    calls.push([url, ...(call.query?.ids ?? [])].join(" "));
    return frozen((own[String(template)] ?? answers[String(template)])?.(call));
  };
  const { data, errors } = await execute(pair, { query }, { get, find: get });
  return { data, errors, calls: calls.sort() };
}

test("aliases and lists of accounts keep their own values, over shared objects of REST", async () => {
  const pair = await openPair(folder);
  const fields = "{ inbox { members { id } } conversations { edges { node { messages { id } } } } }";
  const { data, errors } = await run(
    pair,
    `{ a: account(id: 1) ${fields} b: account(id: 2) ${fields} accounts ${fields} }`,
  );
  expect(errors).toBeUndefined();
  const of = (id: number) => ({
    inbox: { members: [{ id: String(id * 10) }] },
    conversations: {
      edges: [7, 8, 9].map((of) => ({ node: { messages: [{ id: String(id * 100 + of) }, { id: "1" }] } })),
    },
  });
  expect(data).toEqual({ a: of(1), b: of(2), accounts: [of(1), of(2), of(3)] });
});

test("a batch is one call for the parents of one account, whichever list they are in", async () => {
  const pair = await openPair(folder);
  const { data, errors, calls } = await run(
    pair,
    "{ accounts { conversations { nodes { assignee { id account { id } } } } } }",
  );
  expect(errors).toBeUndefined();
  const nodes = (id: number) =>
    [70, 80].map((own) => ({ assignee: { id: String(own), account: { id: String(id) } } }));
  expect(data).toEqual({
    accounts: [1, 2, 3].map((id) => ({ conversations: { nodes: [...nodes(id), { assignee: null }] } })),
  });
  const find = (id: number) => `/accounts/${id}/members/find 70 80`;
  expect(calls.filter((call) => call.includes("find"))).toEqual([1, 2, 3].map(find));
});

test("where the value is null there is no call, and the field is null", async () => {
  const pair = await openPair(folder);
  const { data, errors, calls } = await run(
    pair,
    "{ accounts { conversations { nodes { ownerLabels { nodes { name } } participants { id } } } } }",
  );
  expect(errors).toBeUndefined();
  const of = (id: number, assignee: number | null) => ({
    ownerLabels: { nodes: [{ name: `${id} owner${id}` }] },
    participants: assignee && [{ id: String(assignee) }],
  });
  const none = { ownerLabels: null, participants: null };
  expect(data).toEqual({
    accounts: [
      { conversations: { nodes: [of(1, 70), of(1, 80), of(1, null)] } },
      { conversations: { nodes: [none, none, none] } },
      { conversations: { nodes: [of(3, 70), of(3, 80), of(3, null)] } },
    ],
  });
  expect(calls.filter((call) => call.startsWith("/members"))).toEqual([
    "/members/find 70 80",
    "/members/find 70 80",
  ]);
});

test("the nearest object counts, and each of two types has its own", async () => {
  const pair = await openPair(folder);
  const { data, errors } = await run(
    pair,
    `{ account(id: 1) { conversations { nodes { messages { by {
      ... on Member { seen account { id inbox { members { id seen } } } }
      ... on Record { parts { text } }
    } } } } } }`,
  );
  expect(errors).toBeUndefined();
  const message = [
    { by: { parts: [{ text: "1 r1 head" }] } },
    { by: { seen: false, account: { id: "3", inbox: { members: [{ id: "30", seen: false }] } } } },
  ];
  expect(data).toEqual({
    account: { conversations: { nodes: [1, 2, 3].map(() => ({ messages: message })) } },
  });
});

test("a nested object of the same type does not replace the enclosing one", async () => {
  const pair = await openPair(folder);
  const query = "{ account(id: 1) { name parent { inbox { members { id } } } inbox { members { id } } } }";
  // a plan completes a name that is no text in its exact way
  for (const name of ["text", 7]) {
    const found = { ...account(1), name, parent: { ...account(2), inbox: { ...inbox } } };
    const { data, errors } = await run(pair, query, { "/accounts/{id}": () => found });
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      account: {
        name: String(name),
        parent: { inbox: { members: [{ id: "20" }] } },
        inbox: { members: [{ id: "10" }] },
      },
    });
  }
});

test("what a null has cut off takes no value of what stays", async () => {
  const pair = await openPair(folder);
  const query = "{ accounts { conversations { nodes { id messages { id } assignee { account { id } } } } } }";
  const { data, errors } = await run(pair, query, {
    "/accounts/{account_id}/conversations": ({ path }) => ({
      items: [{ id: 7, assignee_id: 70 }, { id: path.account_id === 1 ? null : 8 }],
      next: null,
    }),
  });
  const of = (id: number) => ({
    nodes: [
      {
        id: "7",
        messages: [{ id: String(id * 100 + 7) }, { id: "1" }],
        assignee: { account: { id: String(id) } },
      },
      { id: "8", messages: [{ id: String(id * 100 + 8) }, { id: "1" }], assignee: null },
    ],
  });
  expect(data).toEqual({
    accounts: [{ conversations: { nodes: null } }, { conversations: of(2) }, { conversations: of(3) }],
  });
  expect(errors).toMatchObject([{ path: ["accounts", 0, "conversations", "nodes", 1, "id"] }]);
});

test("a failure for one account leaves the others their values", async () => {
  const pair = await openPair(folder);
  const failing: typeof answers = {
    "/accounts": () => [
      account(1),
      { ...account(2), id: null },
      { ...account(3), inbox: "none" },
      account(4),
    ],
    "/accounts/{account_id}/members/find": ({ path, query }) => {
      if (path.account_id === 4) throw new CodedError("UPSTREAM_ERROR", "down");
      return query?.ids?.map((id) => member(id, Number(path.account_id)));
    },
  };
  const { data, errors } = await run(
    pair,
    "{ accounts { inbox { members { id } } conversations { nodes { assignee { id } } } } }",
    failing,
  );
  const nodes = (...own: (number | null)[]) => own.map((id) => ({ assignee: id && { id: String(id) } }));
  expect(data).toEqual({
    accounts: [
      { inbox: { members: [{ id: "10" }] }, conversations: { nodes: nodes(70, 80, null) } },
      { inbox: { members: null }, conversations: null }, // its id is required: there is no call without it
      { inbox: null, conversations: { nodes: nodes(70, 80, null) } },
      { inbox: { members: [{ id: "40" }] }, conversations: { nodes: nodes(null, null, null) } },
    ],
  });
  expect(new Set(errors?.map(({ extensions }) => extensions?.code))).toEqual(
    new Set(["BAD_UPSTREAM_RESPONSE", "UPSTREAM_ERROR"]),
  );
});
