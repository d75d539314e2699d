/**
 * The `platform` role: the embedded REST platform that stands in for the real one. It implements `spec/openapi.yaml`
 * over SQLite, serves key introspection to the gateway, and fills an empty store with demo data in the test environment.
 */
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import { createServer } from "../http/server.ts";
import { keyRules } from "./authenticate.ts";
import { loadContract, permissionsOf } from "./contract.ts";
import { hasDemoData, seedDemoData } from "./demo.ts";
import { getAgent, getContact, listAgents, listCampaigns, listContacts } from "./directory.ts";
import { getMe } from "./identity.ts";
import {
  getConversation,
  getMessage,
  listConversations,
  listConversationsByContact,
  listMessages,
} from "./inbox.ts";
import { getMetrics } from "./insights.ts";
import { serveIntrospection } from "./introspection.ts";
import { sendMessage } from "./messaging.ts";
import { type Handlers, serveContract } from "./routes.ts";
import { openStore } from "./store.ts";

const handlers: Handlers = {
  getMe,
  listConversations,
  getConversation,
  listConversationsByContact,
  listMessages,
  listAgents,
  getAgent,
  listContacts,
  getContact,
  getMetrics,
  sendMessage,
  getMessage,
  listCampaigns,
};

/** Makes the server; it does not listen yet, and closes its store when it closes. Throws `ConfigError` for a bad `DATA_FILE`. */
export async function createPlatform(config: Config): Promise<FastifyInstance> {
  const operations = await loadContract();
  const store = openStore(config.env.DATA_FILE);
  if (hasDemoData(config)) seedDemoData(store, new Date());
  const server = createServer(config);
  server.removeContentTypeParser("text/plain"); // the contract speaks JSON only
  server.addHook("onClose", async () => store.close());
  const rules = keyRules(config, permissionsOf(operations));
  serveIntrospection(server, config, store, rules);
  serveContract(server, config, store, rules, operations, handlers);
  return server;
}
