/**
 * The `platform` role: the embedded REST platform that stands in for the real one. The role implements `spec/openapi.yaml` over
 * SQLite, serves key introspection to the gateway, and fills an empty store with demo data in the test environment.
 */
import type { FastifyInstance } from "fastify";
import type { Config } from "restbound";
import { compressResponses, createServer } from "restbound/role";
import { loadContract, permissionsOf } from "./contract.ts";
import { hasDemoData, seedDemoData } from "./demo/demo.ts";
import { keyRules } from "./keys/authenticate.ts";
import { serveIntrospection } from "./keys/introspection.ts";
import { relayRevocations } from "./keys/revocations.ts";
import { getAgent, getContact, listAgents, listCampaigns, listContacts } from "./products/directory.ts";
import { getMe } from "./products/identity.ts";
import {
  getConversation,
  getMessage,
  listConversationMessages,
  listConversations,
  listConversationsByContact,
  listMessages,
} from "./products/inbox.ts";
import { getMetrics } from "./products/insights.ts";
import { sendMessage } from "./products/messaging.ts";
import { type Handlers, serveContract } from "./routes.ts";
import { openStore } from "./store/store.ts";

const handlers: Handlers = new Map(
  Object.entries({
    getMe,
    listConversations,
    getConversation,
    listConversationsByContact,
    listMessages,
    listConversationMessages,
    listAgents,
    getAgent,
    listContacts,
    getContact,
    getMetrics,
    sendMessage,
    getMessage,
    listCampaigns,
  }),
);

/** Creates the server without listening. Closing the server closes the store. Throws `ConfigError` for an invalid `DATA_FILE`. */
export async function createPlatform(config: Config, specHash?: string): Promise<FastifyInstance> {
  const operations = await loadContract((id) => handlers.has(id));
  const store = openStore(config.env.DATA_FILE);
  if (hasDemoData(config)) seedDemoData(store, new Date());
  const server = createServer(config, "platform", { specHash });
  server.addHook("onClose", async () => store.close());
  relayRevocations(server, config, store);
  await compressResponses(server);
  const rules = keyRules(config, permissionsOf(operations));
  serveIntrospection(server, config, store, rules);
  serveContract(server, { config, store, rules, operations, handlers });
  return server;
}
