/**
 * Saved operations by their ids, as the clients' own links send them: Apollo Client's `PersistedQueryLink` and urql's
 * `persistedExchange`, unmodified, against a server that runs every operation and one that runs saved operations only.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { Client, cacheExchange, fetchExchange } from "@urql/core";
import { persistedExchange } from "@urql/exchange-persisted";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys, type Layer, range, startLayer } from "../e2e/layer.ts";
import { root } from "./consumer.ts";

type Saved = { readonly name: string; readonly type: "query" | "mutation"; readonly body: string };
const { operations } = JSON.parse(readFileSync(join(root, "generated/operations-manifest.json"), "utf8")) as {
  operations: Saved[];
};

/** What a client gives, and what it has sent for it: whether each request had the document. */
type Run = { readonly data: unknown; readonly codes: unknown[]; readonly hadDocument: boolean[] };
type RunOperation = (url: string, text: string, isMutation: boolean, variables: object) => Promise<Run>;

/** A `fetch` that notes of each request whether it holds the document. */
function notingFetch(): { fetch: typeof fetch; hadDocument: boolean[] } {
  const hadDocument: boolean[] = [];
  return {
    hadDocument,
    fetch: (input, init) => {
      const search = new URL(String(input)).searchParams;
      const sent = typeof init?.body === "string" ? JSON.parse(init.body) : Object.fromEntries(search);
      hadDocument.push(typeof sent.query === "string");
      return fetch(input, init);
    },
  };
}

const sha256 = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(digest).toString("hex");
};
const headers = { "X-API-Key": keys.owner };
const possibleTypes = { MessageAuthor: ["ContactAuthor", "AgentAuthor", "UserAuthor"] };

const apollo =
  (useGETForHashedQueries: boolean): RunOperation =>
  async (uri, text, isMutation, variables) => {
    const { fetch, hadDocument } = notingFetch();
    const link = new PersistedQueryLink({ sha256, useGETForHashedQueries }).concat(
      new HttpLink({ uri, headers, fetch }),
    );
    const client = new ApolloClient({ link, cache: new InMemoryCache({ possibleTypes }) });
    try {
      const { data } = isMutation
        ? await client.mutate({ mutation: gql(text), variables })
        : await client.query({ query: gql(text), variables });
      return { data, codes: [], hadDocument };
    } catch (error) {
      if (!CombinedGraphQLErrors.is(error)) throw error;
      return { data: error.data, codes: error.errors.map(({ extensions }) => extensions?.code), hadDocument };
    }
  };

const urql =
  (preferGetForPersistedQueries: boolean): RunOperation =>
  async (url, text, isMutation, variables) => {
    const { fetch, hadDocument } = notingFetch();
    const persisted = persistedExchange({ preferGetForPersistedQueries, enableForMutation: true });
    const client = new Client({
      url,
      fetch,
      fetchOptions: { headers },
      preferGetMethod: false,
      exchanges: [cacheExchange, persisted, fetchExchange],
    });
    const { data, error } = await (isMutation
      ? client.mutation(text, variables)
      : client.query(text, variables)
    ).toPromise();
    if (error?.networkError) throw error;
    return { data, codes: error?.graphQLErrors.map(({ extensions }) => extensions.code) ?? [], hadDocument };
  };

const links: readonly (readonly [name: string, run: RunOperation])[] = [
  ["Apollo's PersistedQueryLink", apollo(false)],
  ["Apollo's PersistedQueryLink by GET", apollo(true)],
  ["urql's persistedExchange", urql(false)],
  ["urql's persistedExchange by GET", urql(true)],
];

let all: Layer;
let savedOnly: Layer;
beforeAll(async () => {
  all = await startLayer();
  savedOnly = await startLayer([], { OPERATIONS: "saved" });
});
afterAll(async () => {
  await all.close();
  await savedOnly.close();
});
const urlOf = ({ url }: Layer): string => new URL("/v1/graphql", url).href;

/** Variables for every saved operation. */
const variablesOf = (name: string): object => ({
  ...(/^(Dashboard|StartPage|WeeklyReport)$/.test(name) && range(7)),
  ...(name === "StartPage" && { q: "an" }),
  ...(name === "Customer" && { id: "ctc_none" }),
  ...(name === "Messages" && { conversationId: "cnv_7lRic2nKp3OZ" }),
  ...(name === "Answer" && { channel: "sms", to: "+12025550143", body: "Hello", key: "persisted-links" }),
});

describe.each(links)("%s", (name, run) => {
  test.each(operations)("sends $name by its id alone, to a server of saved operations", async (saved) => {
    const variables = variablesOf(saved.name);
    const { data, codes, hadDocument } = await run(
      urlOf(savedOnly),
      saved.body,
      saved.type === "mutation",
      variables,
    );
    expect({ codes, hadDocument }).toEqual({ codes: [], hadDocument: [false] });
    expect(data).toBeTruthy();
  });

  const unsaved = "query Unsaved { me { email } }";

  test("sends the document after the id of an unsaved operation", async () => {
    const { data, codes, hadDocument } = await run(urlOf(all), unsaved, false, {});
    expect({ codes, hadDocument }).toEqual({ codes: [], hadDocument: [false, true] });
    expect(data).toMatchObject({ me: { email: "olivia@harbor.example" } });
  });

  test("gives the code of a server that runs saved operations only", async () => {
    const { codes, hadDocument } = await run(urlOf(savedOnly), unsaved, false, {});
    expect({ name, codes, hadDocument }).toEqual({
      name,
      codes: ["OPERATION_NOT_SAVED"],
      hadDocument: [false, true],
    });
  });
});
