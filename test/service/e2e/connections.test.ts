/** Connections of the schema, through all roles: pages, edges, counts and orders are those of REST. */
import { expect, test } from "vitest";
import { openLayer } from "./layer.ts";

const query = `query ($first: Int, $after: String, $sort: ContactSort) {
  contactsConnection(first: $first, after: $after, q: "ann", sort: $sort) {
    edges { cursor node { id createdAt owner { name } } }
    nodes { id }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount
  }
}`;

test("pages read on behind any edge, and each of them counts the whole list", async () => {
  const { ask } = await openLayer();
  const whole = (await ask(query, { first: 100 })).data.contactsConnection;
  expect(whole.totalCount).toBe(whole.nodes.length);
  const ids: string[] = [];
  let after: string | null = null;
  for (let turn = 1; ids.length < whole.totalCount; turn++) {
    const { data, errors } = await ask(query, { first: 9, after });
    expect(errors).toBeUndefined();
    const { edges, nodes, pageInfo, totalCount } = data.contactsConnection;
    expect(edges.map(({ node }: { node: { id: string } }) => ({ id: node.id }))).toEqual(nodes);
    expect(totalCount).toBe(whole.totalCount);
    expect(pageInfo).toEqual({
      hasNextPage: edges.at(-1).node.id !== whole.nodes.at(-1).id,
      hasPreviousPage: after !== null,
      startCursor: edges[0].cursor,
      endCursor: edges.at(-1).cursor,
    });
    const taken = turn % 2 === 0 ? edges : edges.slice(0, 4);
    ids.push(...taken.map(({ node }: { node: { id: string } }) => node.id));
    after = taken.at(-1).cursor;
  }
  expect(ids).toEqual(whole.nodes.map(({ id }: { id: string }) => id));
});

test("links below edges are batched, and a page is one REST call", async () => {
  const { ask, calls } = await openLayer();
  const { errors } = await ask(query, { first: 20 });
  expect(errors).toBeUndefined();
  const paths = calls.map((call) => call.replace(/\?.*/, ""));
  expect(paths.filter((path) => path === "GET /v1/crm/contacts")).toHaveLength(1);
  expect(paths.filter((path) => path === "GET /v1/ai/agents")).toHaveLength(1);
});

test("REST sorts", async () => {
  const { ask } = await openLayer();
  const { data } = await ask(query, { first: 20, sort: "NEWEST" });
  const times = data.contactsConnection.edges.map(
    ({ node }: { node: { createdAt: string } }) => node.createdAt,
  );
  expect(times).toEqual(times.toSorted().reverse());
  const oldest = await ask(
    "{ conversationsConnection(first: 5, sort: OLDEST_ACTIVITY) { nodes { lastMessageAt } } }",
  );
  const waiting = oldest.data.conversationsConnection.nodes.map(
    ({ lastMessageAt }: { lastMessageAt: string }) => lastMessageAt,
  );
  expect(waiting).toEqual(waiting.toSorted());
});

test("a cursor that is not one of ours is refused on its field alone, and by its name", async () => {
  const { ask, calls } = await openLayer();
  const { data, errors } = await ask('{ me { email } contactsConnection(after: "page 2") { nodes { id } } }');
  expect(data).toEqual({ me: { email: "olivia@harbor.example" }, contactsConnection: null });
  expect(errors).toMatchObject([
    {
      path: ["contactsConnection"],
      message:
        'argument "after" must be a cursor that this field returned: an `endCursor`, or the `cursor` of an edge',
      extensions: { code: "BAD_USER_INPUT", argument: "after" },
    },
  ]);
  expect(calls.filter((call) => call.includes("contacts"))).toEqual([]);
});

test("the inbox is searched by what an agent looks for, and a conversation's messages read on", async () => {
  const { ask } = await openLayer();
  const inbox = `query ($priority: Priority, $assigned: Boolean, $from: Date) {
    conversationsConnection(first: 100, priority: $priority, assigned: $assigned, from: $from) {
      nodes { id priority subject lastMessageAt assignee { id } } totalCount } }`;
  const find = async (variables: object) => {
    const { data, errors } = await ask(inbox, { ...variables });
    expect(errors).toBeUndefined();
    return data.conversationsConnection.nodes as Record<string, string | null>[];
  };
  const urgent = await find({ priority: "URGENT", assigned: false });
  expect(urgent.length).toBeGreaterThan(0);
  for (const { priority, assignee } of urgent) expect([priority, assignee]).toEqual(["URGENT", null]);
  const [newest] = await find({});
  const from = newest?.lastMessageAt?.slice(0, 10);
  for (const { lastMessageAt } of await find({ from })) expect(lastMessageAt?.slice(0, 10)).toBe(from);
  const page = `query ($id: ID!, $first: Int, $after: String) {
    messagesConnection(conversationId: $id, first: $first, after: $after) {
      edges { cursor node { id createdAt } } pageInfo { hasNextPage endCursor } totalCount } }`;
  const all = (await ask(page, { id: newest?.id })).data.messagesConnection;
  const first = (await ask(page, { id: newest?.id, first: 1 })).data.messagesConnection;
  const rest = (await ask(page, { id: newest?.id, after: first.pageInfo.endCursor })).data.messagesConnection;
  expect(all.edges).toHaveLength(all.totalCount);
  const idsOf = (edges: { node: { id: string } }[]) => edges.map(({ node }) => node.id);
  expect(idsOf([...first.edges, ...rest.edges])).toEqual(idsOf(all.edges));
});
