/**
 * SQL of conversations and messages. Every statement is scoped by `:tenant`. Pages are read by keyset pagination, not by offset.
 */

const conversation = `
  c.id, c.subject, c.status, c.priority, c.channel, c.contact_id AS "contactId", c.assignee_id AS "assigneeId",
  (SELECT json_group_array(DISTINCT m.author_id) FROM messages AS m
    WHERE m.tenant_id = c.tenant_id AND m.conversation_id = c.id AND m.author_type = 'agent') AS "participantIds",
  c.unread_count AS "unreadCount", c.tags, c.created_at AS "createdAt", c.last_message_at AS "lastMessageAt"`;

/** Returns an SQL expression for the time `seconds` after a message's creation. */
const later = (seconds: number): string =>
  `strftime('%Y-%m-%dT%H:%M:%fZ', m.created_at, '+${seconds} seconds')`;
const isPast = (seconds: number): string => `${later(seconds)} <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`;

/** The platform has no real channels: a queued message counts as sent after 3 s, and as delivered after another 3 s. */
const message = `
  m.id, m.conversation_id AS "conversationId", m.channel, m.direction,
  CASE WHEN m.status <> 'queued' THEN m.status WHEN ${isPast(6)} THEN 'delivered' WHEN ${isPast(3)} THEN 'sent'
    ELSE 'queued' END AS "status",
  m.recipient AS "to", m.body, m.author_type AS "authorType", m.author_id AS "authorId", m.created_at AS "createdAt",
  CASE WHEN m.status = 'queued' AND ${isPast(6)} THEN ${later(6)} ELSE m.delivered_at END AS "deliveredAt"`;

const conversationFilters = `
  c.tenant_id = :tenant
    AND (:ids IS NULL OR c.id IN (SELECT value FROM json_each(:ids)))
    AND (:status IS NULL OR c.status = :status)
    AND (:channel IS NULL OR c.channel = :channel)
    AND (:assignee IS NULL OR c.assignee_id = :assignee)
    AND (:assigned IS NULL OR (c.assignee_id IS NOT NULL) = :assigned)
    AND (:priority IS NULL OR c.priority = :priority)
    AND (:tag IS NULL OR EXISTS (SELECT 1 FROM json_each(c.tags) WHERE value = :tag))
    AND (:from IS NULL OR c.last_message_at >= :from)
    AND (:to IS NULL OR c.last_message_at < :to || 'T24')
    AND (:q IS NULL OR instr(lower(c.subject), lower(:q)) OR EXISTS (
      SELECT 1 FROM contacts AS k
      WHERE k.tenant_id = c.tenant_id AND k.id = c.contact_id AND instr(lower(k.name), lower(:q))))`;

const messageFilters = `m.tenant_id = :tenant AND m.conversation_id = :conversationId`;

const conversationPage = (column: string, order: "ASC" | "DESC", beyond: ">" | "<"): string => `
  SELECT ${conversation} FROM conversations AS c
  WHERE ${conversationFilters}
    AND (:afterKey IS NULL OR (c.${column}, c.id) ${beyond} (:afterKey, :afterId))
  ORDER BY c.${column} ${order}, c.id ${order} LIMIT :limit`;

export const inbox = {
  conversationById: `SELECT ${conversation} FROM conversations AS c WHERE c.tenant_id = :tenant AND c.id = :id`,
  conversationPage: conversationPage("last_message_at", "DESC", "<"),
  conversationPageFromOldest: conversationPage("last_message_at", "ASC", ">"),
  conversationPageByStart: conversationPage("created_at", "DESC", "<"),
  conversationCount: `SELECT COUNT(*) AS "count" FROM conversations AS c WHERE ${conversationFilters}`,
  conversationsOfContacts: `
    SELECT ${conversation} FROM conversations AS c
    JOIN (SELECT id, ROW_NUMBER() OVER (PARTITION BY contact_id ORDER BY last_message_at DESC, id DESC) AS place
      FROM conversations WHERE tenant_id = :tenant AND contact_id IN (SELECT value FROM json_each(:contactIds))) AS p
      ON p.id = c.id AND p.place <= :limit
    WHERE c.tenant_id = :tenant ORDER BY c.contact_id, p.place`,
  messageById: `SELECT ${message} FROM messages AS m WHERE m.tenant_id = :tenant AND m.id = :id`,
  messagePage: `
    SELECT ${message} FROM messages AS m
    WHERE ${messageFilters} AND (:afterKey IS NULL OR (m.created_at, m.id) < (:afterKey, :afterId))
    ORDER BY m.created_at DESC, m.id DESC LIMIT :limit`,
  messageCount: `SELECT COUNT(*) AS "count" FROM messages AS m WHERE ${messageFilters}`,
  /** Reads only `:limit` messages per conversation from the index. A window function would rank all messages. */
  messagesOfConversations: `
    SELECT ${message} FROM json_each(:conversationIds) AS wanted
    JOIN messages AS m ON m.rowid IN (
      SELECT rowid FROM messages WHERE tenant_id = :tenant AND conversation_id = wanted.value
      ORDER BY created_at DESC, id DESC LIMIT :limit)
    ORDER BY m.conversation_id, m.created_at DESC, m.id DESC`,
  insertConversation: `
    INSERT INTO conversations (tenant_id, id, subject, status, priority, channel, contact_id, assignee_id, unread_count,
      tags, created_at, last_message_at)
    VALUES (:tenant, :id, :subject, :status, :priority, :channel, :contactId, :assigneeId, :unreadCount,
      :tags, :createdAt, :lastMessageAt)`,
  insertMessage: `
    INSERT INTO messages (tenant_id, id, conversation_id, contact_id, channel, direction, status, recipient, body,
      author_type, author_id, created_at, delivered_at)
    VALUES (:tenant, :id, :conversationId, :contactId, :channel, :direction, :status, :to, :body,
      :authorType, :authorId, :createdAt, :deliveredAt)`,
} as const;
