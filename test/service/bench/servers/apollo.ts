/** Apollo Server the obvious way: standalone, graphql-js, global fetch, DataLoader for the links. */
import { readFileSync } from "node:fs";
import { ApolloServer } from "@apollo/server";
import { startStandaloneServer } from "@apollo/server/standalone";
import DataLoader from "dataloader";
import { byKey, type Context, type Conversation, type Get, overFetch, queryResolvers } from "./rest.ts";

const loader = (get: Get, path: string) =>
  new DataLoader(async (keys: readonly string[]) => {
    const found = await byKey(get, path, keys);
    return keys.map((key) => found.get(key) ?? null);
  });
type Loaders = Context & { contacts: ReturnType<typeof loader>; agents: ReturnType<typeof loader> };

const apollo = new ApolloServer<Loaders>({
  typeDefs: readFileSync(new URL("../../../../generated/schema.graphql", import.meta.url), "utf8"),
  resolvers: {
    Query: queryResolvers,
    Conversation: {
      contact: ({ contactId }: Conversation, _: unknown, { contacts }: Loaders) => contacts.load(contactId),
      assignee: ({ assigneeId }: Conversation, _: unknown, { agents }: Loaders) => agents.load(assigneeId),
    },
  },
});
const { url } = await startStandaloneServer(apollo, {
  listen: { port: 0, host: "127.0.0.1" },
  context: async ({ req }) => {
    const get = overFetch(req.headers);
    return { get, contacts: loader(get, "/v1/crm/contacts"), agents: loader(get, "/v1/ai/agents") };
  },
});
process.stdout.write(`ready on ${url}\n`);
