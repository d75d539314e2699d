/** This service's own pair of spec files under mutation. */
import { join } from "node:path";
import { type Pair, readPair, schemas } from "../../engine/build/check/mutations/pair.ts";
import { messagingFields, messagingRows } from "./messaging-rows.ts";

export const messaging = (): Pair => {
  const own = [
    "IdentityProfile",
    "Conversation",
    "Message",
    "Agent",
    "Contact",
    "MetricSeries",
    "MetricPoint",
  ];
  const authors = ["ContactAuthor", "AgentAuthor", "UserAuthor"];
  const pages = {
    ConversationConnection: schemas("ConversationPage"),
    AgentConnection: schemas("AgentPage"),
    ContactConnection: schemas("ContactPage"),
  };
  const connections = {
    ConversationConnection: "Query.conversationsConnection",
    AgentConnection: "Query.agentsConnection",
    ContactConnection: "Query.contactsConnection",
  };
  const named = Object.fromEntries([...own, ...authors].map((name) => [name, schemas(name)]));
  return readPair(
    join(import.meta.dirname, "../../../spec"),
    { name: "messaging", rows: messagingRows, fields: messagingFields },
    { ...named, ...pages },
    {},
    connections,
  );
};
