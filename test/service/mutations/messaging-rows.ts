/** Breaking edits of the messaging document, picked by hand. */
import {
  add,
  optional,
  type Row,
  remove,
  rename,
  replace,
  schema,
} from "../../engine/build/check/mutations/row.ts";
import type { Path } from "../../engine/build/check/mutations/yaml-edit.ts";

/** `operationId` → a field that is bound to the operation. */
export const messagingFields = {
  getMe: "Query.me",
  listConversations: "Query.conversations",
  getConversation: "Query.conversation",
  getMessage: "Query.message",
  listConversationsByContact: "Contact.conversations",
  listMessages: "Conversation.messages",
  listAgents: "Query.agents",
  getAgent: "Query.agent",
  listContacts: "Query.contacts",
  getContact: "Query.contact",
  getMetrics: "Query.metrics",
  sendMessage: "Mutation.sendMessage",
};

const conversations: Path = ["paths", "/v1/inbox/conversations", "get", "parameters"];
const contacts: Path = ["paths", "/v1/crm/contacts", "get", "parameters"];
const byContact: Path = ["paths", "/v1/inbox/conversations-by-contact", "get", "parameters"];
const one: Path = ["paths", "/v1/crm/contacts/{contactId}", "get"];
const shared: Path = ["components", "parameters"];
const send: Path = ["paths", "/v1/messages", "post"];

export const messagingRows: Row[] = [
  ["filter removed", remove(...conversations, 1), "Query.conversationsConnection"],
  ["filter renamed", replace("state", ...conversations, 1, "name"), "Query.conversationsConnection"],
  [
    "filter retyped",
    replace("{ type: integer }", ...conversations, 1, "schema"),
    "Query.conversationsConnection",
  ],
  ["filter became a header", replace("header", ...conversations, 1, "in"), "Query.conversationsConnection"],
  ["search renamed", replace("search", ...contacts, 0, "name"), "Query.contacts"],
  [
    "search became a list",
    replace("{ type: array, items: { type: string } }", ...contacts, 0, "schema"),
    "Query.contacts",
  ],
  ["search made required", add("required: true", ...contacts, 0), "Query.contacts"],
  [
    "search cut shorter",
    replace("{ type: string, maxLength: 10 }", ...contacts, 0, "schema"),
    "Query.contacts",
  ],
  [
    "batch key made one value",
    replace("{ type: string }", ...byContact, 0, "schema"),
    "Contact.conversations",
  ],
  [
    "batch key retyped",
    replace("{ type: integer }", ...byContact, 0, "schema", "items"),
    "Contact.conversations",
  ],
  ["batch key renamed", replace("contacts", ...byContact, 0, "name"), "Contact.conversations"],
  [
    "batch key written otherwise",
    replace("pipeDelimited", ...byContact, 0, "style"),
    "Contact.conversations",
  ],
  ["batch key exploded", replace("true", ...byContact, 0, "explode"), "Contact.conversations"],
  [
    "batch key in an impossible style",
    replace("deepObject", ...byContact, 0, "style"),
    "Contact.conversations",
  ],
  ["batch made smaller", replace("10", ...byContact, 0, "schema", "maxItems"), "Contact.conversations"],
  ["ids renamed", replace("id", ...shared, "Ids", "name"), "Conversation.contact"],
  ["limit renamed", replace("pageSize", ...shared, "Limit", "name"), "Conversation.contact"],
  ["limit lowered", replace("50", ...shared, "Limit", "schema", "maximum"), "Conversation.contact"],
  ["limit's default lowered", replace("10", ...shared, "Limit", "schema", "default"), "Query.conversations"],
  ["cursor retyped", replace("{ type: integer }", ...shared, "Cursor", "schema"), "Query.contactsConnection"],
  [
    "next cursor renamed",
    rename("after", ...schema("ContactPage"), "properties", "nextCursor"),
    "Query.contactsConnection",
  ],
  [
    "next cursor retyped",
    replace("{ type: integer }", ...schema("AgentPage"), "properties", "nextCursor"),
    "Query.agentsConnection",
  ],
  [
    "word on a next page retyped",
    replace("{ type: string }", ...schema("ConversationPage"), "properties", "hasMore"),
    "Query.conversationsConnection",
  ],
  [
    "list of a connection made an object",
    replace("{ type: object }", ...schema("ContactPage"), "properties", "items"),
    "Query.contactsConnection",
  ],
  [
    "format of a time dropped",
    replace("{ type: string }", ...schema("Agent"), "properties", "createdAt"),
    "Agent.createdAt",
  ],
  [
    "a time became a day",
    replace("{ type: string, format: date }", ...schema("Message"), "properties", "createdAt"),
    "Message.createdAt",
  ],
  ["path parameter renamed", replace("id", ...one, "parameters", 0, "name"), "Query.contact"],
  [
    "path parameter made a number",
    replace("{ type: boolean }", ...one, "parameters", 0, "schema"),
    "Query.contact",
  ],
  ["404 no longer documented", remove(...one, "responses", "404"), "Query.contact"],
  ["permission changed", replace("crm:secrets:read", ...one, "x-permission"), "Query.contact"],
  ["API keys no longer taken", remove("security", 0), "Query.me", "Contact.conversations"],
  ["API keys no longer taken by one", add("security: [{ bearer: [] }]", ...one), "Query.contact"],
  [
    "API keys in another header",
    replace("X-Key", "components", "securitySchemes", "apiKey", "name"),
    "Query.me",
    "Contact.conversations",
  ],
  ["both credentials at once", replace("[{ apiKey: [], bearer: [] }]", "security"), "Query.me"],
  ["product changed", replace("[sales]", ...one, "tags"), "Query.contact"],
  ["header renamed", replace("Idempotency-Token", ...send, "parameters", 0, "name"), "Mutation.sendMessage"],
  [
    "header became a query parameter",
    replace("query", ...send, "parameters", 0, "in"),
    "Mutation.sendMessage",
  ],
  ["body property removed", remove(...schema("MessageInput"), "properties", "to"), "Mutation.sendMessage"],
  [
    "body property renamed",
    rename("text", ...schema("MessageInput"), "properties", "body"),
    "Mutation.sendMessage",
  ],
  [
    "body property retyped",
    replace("{ type: array, items: { type: string } }", ...schema("MessageInput"), "properties", "to"),
    "Mutation.sendMessage",
  ],
  [
    "body property new and required",
    (yaml) => add("priority", ...schema("MessageInput"), "required")(yaml),
    "Mutation.sendMessage",
  ],
  [
    "body no longer JSON",
    rename("application/xml", ...send, "requestBody", "content", "application/json"),
    "Mutation.sendMessage",
  ],
  ["enum grown: status", add("archived", ...schema("ConversationStatus"), "enum"), "Conversation.status"],
  ["enum grown: stage", add("lost", ...schema("ContactStage"), "enum"), "Contact.stage"],
  ["enum grown: kind", add("bot", ...schema("AgentKind"), "enum"), "Agent.kind"],
  ["enum grown: channel", add("fax", ...schema("Channel"), "enum"), "Conversation.channel"],
  ["enum cut: status", remove(...schema("ConversationStatus"), "enum", 2), "Query.conversationsConnection"],
  ["enum cut: stage", remove(...schema("ContactStage"), "enum", 0), "Query.contactsConnection"],
  ["enum dropped: priority", remove(...schema("Priority"), "enum"), "Conversation.priority"],
  ["id pattern tightened", replace("'^[a-z]+$'", ...schema("Id"), "pattern"), "Query.contact"],
  [
    "discriminator renamed",
    replace("kind", ...schema("MessageAuthor"), "discriminator", "propertyName"),
    "Message.author",
  ],
  [
    "discriminator value renamed",
    replace("[bot]", ...schema("AgentAuthor"), "properties", "type", "enum"),
    "Message.author",
  ],
  ["discriminator property optional", optional(0, "type", ...schema("UserAuthor")), "Message.author"],
  ["union member removed", remove(...schema("MessageAuthor"), "oneOf", 1), "Message.author"],
  [
    "union member added",
    add("$ref: '#/components/schemas/Metrics'", ...schema("MessageAuthor"), "oneOf"),
    "Message.author",
  ],
  ["result moved", rename("results", ...schema("Metrics"), "properties", "items"), "Query.metrics"],
  [
    "result made nullable and single",
    replace("{ type: object }", ...schema("Metrics"), "properties", "items"),
    "Query.metrics",
  ],
  [
    "key of a link removed",
    remove(...schema("Conversation"), "properties", "assigneeId"),
    "Conversation.assignee",
  ],
  [
    "key of a link retyped",
    replace("{ type: integer }", ...schema("Contact"), "properties", "ownerId"),
    "Contact.owner",
  ],
  [
    "keys of a link made single",
    replace("{ type: string }", ...schema("Conversation"), "properties", "participantIds"),
    "Conversation.participants",
  ],
];
