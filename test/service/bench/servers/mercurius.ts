/** Mercurius with graphql-jit over undici, links by its own loaders. */
import { readFileSync } from "node:fs";
import Fastify from "fastify";
import mercurius from "mercurius";
import { byKey, type Context, type Conversation, overUndici, queryResolvers } from "./rest.ts";

const getOf = overUndici();
type Queries = { obj: Conversation }[];
const link =
  (path: string, key: "contactId" | "assigneeId") =>
  async (queries: Queries, { get }: Context) => {
    const found = await byKey(
      get,
      path,
      queries.map(({ obj }) => obj[key]),
    );
    return queries.map(({ obj }) => found.get(obj[key]) ?? null);
  };

const server = Fastify();
await server.register(mercurius, {
  schema: readFileSync(new URL("../../../../generated/schema.graphql", import.meta.url), "utf8"),
  context: ({ headers }) => ({ get: getOf(headers) }),
  resolvers: { Query: queryResolvers } as never,
  loaders: {
    Conversation: {
      contact: link("/v1/crm/contacts", "contactId"),
      assignee: link("/v1/ai/agents", "assigneeId"),
    },
  } as never,
  path: "/v1/graphql",
  jit: 1,
});
process.stdout.write(`ready on ${await server.listen({ port: 0, host: "127.0.0.1" })}\n`);
