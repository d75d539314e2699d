/** The handlers of the product inbox. They return conversations and their messages. */
import { type Handler, numberOf, readPage, rowById, type Sorts, sqlValue } from "../handler.ts";
import { strings, text } from "../store/row.ts";
import type { Row } from "../store/store.ts";

const toConversation = (row: Row): Record<string, unknown> => ({
  ...row,
  participantIds: strings(row.participantIds).sort(),
  tags: strings(row.tags),
});

const authorIds: ReadonlyMap<string, string> = new Map([
  ["contact", "contactId"],
  ["agent", "agentId"],
]);

/** Converts a row to the schema `Message` of the OpenAPI document. */
export function toMessage({ authorType, authorId, ...row }: Row): Record<string, unknown> {
  return { ...row, author: { type: authorType, [authorIds.get(text(authorType)) ?? "userId"]: authorId } };
}

const conversationSorts: Sorts = {
  "latest-activity": ["conversationPage", "lastMessageAt"],
  "oldest-activity": ["conversationPageFromOldest", "lastMessageAt"],
  newest: ["conversationPageByStart", "createdAt"],
};

export const listConversations: Handler = ({ tenant }, { query }) => {
  const filters = {
    ids: sqlValue(query.ids),
    status: sqlValue(query.status),
    channel: sqlValue(query.channel),
    assignee: sqlValue(query.assigneeId),
    assigned: sqlValue(query.assigned),
    priority: sqlValue(query.priority),
    tag: sqlValue(query.tag),
    from: sqlValue(query.from),
    to: sqlValue(query.to),
    q: sqlValue(query.q),
  };
  const page = readPage(tenant, query, { sorts: conversationSorts, filters, count: "conversationCount" });
  return { ...page, items: page.items.map(toConversation) };
};

export const getConversation: Handler = ({ tenant }, { path }) =>
  toConversation(rowById(tenant, "conversation", path.conversationId));

export const listConversationsByContact: Handler = ({ tenant }, { query }) => {
  const limit = numberOf(query.limitPerContact, 5);
  const rows = tenant.all("conversationsOfContacts", { contactIds: sqlValue(query.contactIds), limit });
  return { items: rows.map(toConversation) };
};

export const listMessages: Handler = ({ tenant }, { query }) => {
  const limit = numberOf(query.limitPerConversation, 10);
  const rows = tenant.all("messagesOfConversations", {
    conversationIds: sqlValue(query.conversationIds),
    limit,
  });
  return { items: rows.map(toMessage) };
};

export const listConversationMessages: Handler = ({ tenant }, { path, query }) => {
  const { id = null } = rowById(tenant, "conversation", path.conversationId);
  const sorts = { newest: ["messagePage", "createdAt"] } as const;
  const page = readPage(tenant, query, { sorts, filters: { conversationId: id }, count: "messageCount" });
  return { ...page, items: page.items.map(toMessage) };
};

export const getMessage: Handler = ({ tenant }, { path }) =>
  toMessage(rowById(tenant, "message", path.messageId));
