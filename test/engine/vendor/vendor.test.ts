/**
 * A vendor's document as it comes, untouched but for an overlay: operations without ids, credentials of its own, a form, a
 * text, and faults in parts that no field reaches. The commands run as a user runs them, and the `graphql` role serves it.
 */
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ApolloClient, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import Negotiator from "negotiator";
import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { listens, type Program, startProgram } from "../../support/child-process.ts";
import { type Project, projectOf } from "../../support/project.ts";
import { ran } from "../build/check/run.ts";
import { listen } from "../gateway/fakes.ts";

let copy: Project;
let program: Program;
let url: URL;
/** The requests that the vendor got, each with the credentials in it. */
const calls: string[] = [];

/** The vendor has 23 articles, and gives 7 at once whatever is asked for. */
function articlesFrom(url: string): object {
  const { searchParams } = new URL(url, "http://vendor");
  const [offset, limit] = ["offset", "limit"].map((name) => Number(searchParams.get(name)));
  const data = Array.from({ length: 23 }, (_, id) => ({ id: String(id) }));
  return { data: data.slice(offset, (offset ?? 0) + Math.min(limit ?? 0, 7)), meta: { count: data.length } };
}

/** Six notes, four on a page. */
function notesFrom(url: string): object {
  const page = Number(new URL(url, "http://vendor").searchParams.get("page"));
  return Array.from({ length: 6 }, (_, id) => ({ id: String(id) })).slice((page - 1) * 4, page * 4);
}

/** The role in front of a vendor that answers every ticket, and 406 if `Accept` does not take what the document says. */
beforeAll(async () => {
  copy = projectOf(join(import.meta.dirname, "spec"));
  await copy.codegen();
  const vendor = await listen(async (request, response) => {
    const { method, url, headers } = request;
    const known = ["api_access_token", "x-project", "x-api-key", "authorization", "cookie", "content-type"];
    const carried = known
      .filter((name) => headers[name] !== undefined)
      .map((name) => `${name}=${headers[name]}`);
    calls.push([method, url, ...carried, await text(request)].join(" ").trim());
    const answer = (type: string, body: string): void => {
      const isTaken = new Negotiator(request).mediaType([type]) !== undefined;
      response
        .writeHead(isTaken ? 200 : 406, { "content-type": type })
        .end(isTaken ? body : '"not acceptable"');
    };
    if (url === "/api/motto") return answer("text/plain", "Be kind.");
    const sender = { kind: "contact", email: "a@b.example" };
    if (url === "/api/ratings")
      return answer("application/json", '{"b":{"stars":5},"10":{"words":"Kind."},"9":{}}');
    if (url?.startsWith("/api/names")) return answer("application/json", '{"b":"Bo","9":"Nia"}');
    if (url === "/api/teams")
      return answer("application/json", '[{"id":"2","name":"Sales"},{"id":"7","name":"Care"}]');
    if (url?.includes("tickets?page=3")) {
      const tickets = [7, 2, null, 7, 9].map((team_id, id) => ({ id, team_id }));
      return answer("application/vnd.desk+json;version=2", JSON.stringify(tickets));
    }
    if (url?.startsWith("/api/usage")) return answer("application/json", '{"used":3}');
    if (url?.startsWith("/api/articles"))
      return answer("application/json", JSON.stringify(articlesFrom(url)));
    if (url?.endsWith("/assignments")) return answer("text/html", "<p>Done</p>");
    if (url?.startsWith("/api/notes")) return answer("application/json", JSON.stringify(notesFrom(url)));
    if (method === "POST") return answer("application/json", '{"id":2}');
    answer("application/vnd.desk+json;version=2", JSON.stringify([{ id: 1, sender }]));
  });
  program = startProgram([copy.main, "graphql"], { REST_BASE_URL: vendor.url.href });
  url = await listens(program);
  return async () => {
    await program.stop();
    await vendor.close();
    copy.remove();
  };
});
beforeEach(() => void calls.splice(0));

async function ask(query: string, more: Readonly<Record<string, string>> = {}, variables = {}) {
  const credentials = { api_access_token: "t", "x-project": "p", "x-api-key": "no", cookie: "c=1" };
  const headers = { "content-type": "application/json", ...credentials, ...more };
  const body = JSON.stringify({ query, variables });
  const reply = await fetch(new URL("/v1/graphql", url), { method: "POST", headers, body });
  // biome-ignore lint/suspicious/noExplicitAny: each test knows its answer
  return reply.json() as Promise<any>;
}

test("the faults that no field reaches are one warning, and the only finding", async () => {
  const { out: found } = await ran(copy.root, []);
  expect(found.match(/^(?:error|warning) .*$/gm)).toEqual([expect.stringMatching(/document-faulty$/)]);
  expect(found).toMatch(/5 faults in parts of the document that no field reaches/);
});

test("each operation gets its own credentials; ids, unions, text and forms come out right", async () => {
  const sender = "sender { __typename ... on contact { email } }";
  expect(await ask(`{ motto tickets(account: 7, page: 2) { id valueOf ${sender} } }`)).toEqual({
    data: {
      motto: "Be kind.",
      tickets: [{ id: 1, valueOf: null, sender: { __typename: "contact", email: "a@b.example" } }],
    },
  });
  expect(await ask('mutation { open(account: 7, subject: "a&b", labels: ["x", "y"]) { id } }')).toEqual({
    data: { open: { id: 2 } },
  });
  expect(calls.sort()).toEqual([
    "GET /api/accounts/7/tickets?page=2 api_access_token=t",
    "GET /api/motto",
    "POST /api/accounts/7/tickets api_access_token=t x-project=p content-type=application/x-www-form-urlencoded subject=a%26b&labels=x&labels=y",
  ]);
});

test("a map is a list of its entries, with a link by their keys, and the property of a value says its type", async () => {
  const rating = "rating { __typename ... on Stars { stars } ... on Words { words } }";
  const { data, errors } = await ask(`{ ratings { agentId agent { name } ${rating} } }`);
  expect(data).toEqual({
    ratings: [
      { agentId: "9", agent: { name: "Nia" }, rating: null },
      { agentId: "10", agent: null, rating: { __typename: "Words", words: "Kind." } },
      { agentId: "b", agent: { name: "Bo" }, rating: { __typename: "Stars", stars: 5 } },
    ],
  });
  expect(errors).toMatchObject([
    { path: ["ratings", 0, "rating"], extensions: { code: "BAD_UPSTREAM_RESPONSE" } },
  ]);
  expect(calls).toEqual(["GET /api/ratings", "GET /api/names?ids=9,10,b"]);
});

test("links are looked up in a whole list by one call of each caller, which carries its own credential", async () => {
  const query = "{ tickets(account: 7, page: 3) { team { name } } }";
  const answers = await Promise.all([ask(query), ask(query, { api_access_token: "u" })]);
  const teams = ["Care", "Sales", null, "Care", null].map((name) => ({ team: name && { name } }));
  expect(answers).toEqual([{ data: { tickets: teams } }, { data: { tickets: teams } }]);
  expect(calls.filter((call) => call.includes("teams")).sort()).toEqual([
    "GET /api/teams api_access_token=t",
    "GET /api/teams api_access_token=u",
  ]);
});

test("a credential goes into the query and the cookie of the operation that takes it, and nowhere else", async () => {
  const own = { "x-url-key": "secret&1", "x-session": "secret-2", "x-explain-calls": "1" };
  const answer = await ask('{ motto usage(month: "5") { used } }', own);
  expect(answer).toMatchObject({ data: { motto: "Be kind.", usage: { used: 3 } } });
  // a cookie cannot hold this
  expect(await ask("{ usage { used } }", { "x-session": "secret; admin=1" })).toMatchObject({
    data: { usage: { used: 3 } },
  });
  expect(calls.sort()).toEqual([
    "GET /api/motto",
    "GET /api/usage",
    "GET /api/usage?month=5&token=secret%261 cookie=sid=secret-2",
  ]);
  expect(answer).toHaveProperty("extensions.calls");
  expect(JSON.stringify(answer) + program.output()).not.toContain("secret");
});

test("what is left out is not sent, also if every object inherits its name", async () => {
  await ask('{ usage(of: { team: "a" }) { used } }');
  await ask("query ($of: UsageOf) { usage(of: $of) { used } }", {}, { of: { team: "b" } });
  expect(calls).toEqual(["GET /api/usage?of%5Bteam%5D=a", "GET /api/usage?of%5Bteam%5D=b"]);
});

test("ids and enum values that REST takes as integers are sent as numbers, to an operation that documents no success", async () => {
  const query =
    "mutation ($agent: ID, $teams: [ID!]) { assign(agent: $agent, teams: $teams, priority: HIGH) }";
  expect(await ask(query, {}, { agent: "4", teams: [5, "-6"] })).toEqual({ data: { assign: null } });
  expect(await ask("mutation { assign }")).toEqual({ data: { assign: null } });
  expect(calls).toEqual([
    'POST /api/accounts/7/assignments content-type=application/json {"agent_id":4,"team_ids":[5,-6],"priority":5}',
    'POST /api/accounts/7/assignments content-type=application/json {"agent_id":12}',
  ]);
});

test.each([
  ["agent", { agent: "four" }],
  ["agent", { agent: "" }],
  ["agent", { agent: "9007199254740993" }],
  ["teams.1", { teams: ["1", "1e3"] }],
])(
  "an id that is no integer is refused by its name, and nothing is sent: %s %o",
  async (argument, variables) => {
    const query = "mutation ($agent: ID, $teams: [ID!]) { assign(agent: $agent, teams: $teams) }";
    expect(await ask(query, {}, variables)).toMatchObject({
      errors: [{ extensions: { code: "BAD_USER_INPUT", argument } }],
    });
    expect(calls).toEqual([]);
  },
);

test("a list whose pages have numbers and no size is read to its end", async () => {
  const read = async (after: string | null): Promise<string[][]> => {
    const query =
      "query ($after: String) { notes(after: $after) { edges { node { id } } pageInfo { hasNextPage endCursor } } }";
    const { edges, pageInfo } = (await ask(query, {}, { after })).data.notes;
    const ids = edges.map((edge: { node: { id: string } }) => edge.node.id);
    return [ids, ...(pageInfo.hasNextPage ? await read(pageInfo.endCursor) : [])];
  };
  expect(await read(null)).toEqual([["0", "1", "2", "3"], ["4", "5"], []]);
});

test("Apollo Client pages a list that begins at an offset to its end, whatever the vendor's longest page is", {
  timeout: 20_000,
}, async () => {
  const typePolicies = { Query: { fields: { articles: relayStylePagination() } } };
  const link = new HttpLink({ uri: new URL("/v1/graphql", url).href });
  const client = new ApolloClient({ link, cache: new InMemoryCache({ typePolicies }) });
  const query = gql`query Articles($first: Int, $after: String) {
    articles(first: $first, after: $after) {
      edges { cursor node { id } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`;
  type Articles = {
    articles: { edges: { node: { id: string } }[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
  };
  const articles = client.watchQuery<Articles>({ query, variables: { first: 10 } });
  const subscription = articles.subscribe(() => undefined);
  onTestFinished(() => subscription.unsubscribe());
  await client.query({ query, variables: { first: 10 } });
  const current = () => (client.readQuery({ query, variables: { first: 10 } }) as Articles).articles;
  while (current().pageInfo.hasNextPage)
    await articles.fetchMore({ variables: { after: current().pageInfo.endCursor } });
  expect(current().edges.map(({ node }) => node.id)).toEqual(
    Array.from({ length: 23 }, (_, id) => String(id)),
  );
  expect(calls).toEqual([0, 7, 14, 21].map((offset) => `GET /api/articles?limit=10&offset=${offset}`));
});
