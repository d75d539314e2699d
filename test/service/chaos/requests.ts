/** The requests of clients in trouble: large ones in every form that the layer takes. */
import { hash } from "node:crypto";
import manifest from "../../../generated/operations-manifest.json" with { type: "json" };
import type { Random } from "../../support/random.ts";

export type Sent = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

const path = "/v1/graphql";
const startPage = manifest.operations.find(({ name }) => name === "StartPage");
const variables = { from: "2026-11-01", to: "2026-11-20", q: "a" };

const nodes = "nodes { id subject status contact { id name company } assignee { id name } }";
/** Eight lists of a hundred, each with two levels of links. No two are the same call. */
const large = (random: Random): string =>
  `{ ${random
    .times(8, (index) => `a${index}: conversationsConnection(first: ${100 - random.int(20)}) { ${nodes} }`)
    .join(" ")} }`;
const lists = (random: Random): string =>
  `{ ${random.times(6, (index) => `c${index}: contacts(q: "${random.int(50)}") { id name company }`).join(" ")} me { id } }`;
const send =
  'mutation { sendMessage(channel: "sms", to: "+12025550143", body: "b") { id conversation { id subject } } }';

const post = (body: unknown, headers: Sent["headers"] = {}): Sent => ({
  ...{ method: "POST", path, body: JSON.stringify(body) },
  headers: { "content-type": "application/json", ...headers },
});
const get = (query: string): Sent => ({
  ...{ method: "GET", path: `${path}?${new URLSearchParams({ query })}`, body: "" },
  headers: { "apollo-require-preflight": "1" },
});

const forms: readonly ((random: Random) => Sent)[] = [
  (random) => post({ query: large(random) }),
  (random) => post({ query: large(random) }),
  (random) => post({ query: lists(random) }, { "x-explain-calls": "1" }),
  () => post({ query: "{ contacts { id name company } me { id } }" }),
  () => post({ documentId: startPage?.id, variables }),
  () => {
    const persistedQuery = { version: 1, sha256Hash: hash("sha256", startPage?.body ?? "") };
    return post({ extensions: { persistedQuery }, variables });
  },
  (random) => get(lists(random)),
  (random) => post([{ query: lists(random) }, { query: "{ me { id } }" }, { query: "{ no }" }]),
  () => post({ query: send }),
];

export const anyRequest = (random: Random): Sent => random.pick(forms)(random);
