/**
 * The primary key of every table begins with the tenant, so an id is unique only within its tenant. A list is stored as JSON text
 * in one column if its items are never queried separately.
 */
export const tables = `
CREATE TABLE IF NOT EXISTS tenants (
  tenant_id TEXT PRIMARY KEY, name TEXT NOT NULL, features TEXT NOT NULL, demo INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS roles (
  tenant_id TEXT NOT NULL, name TEXT NOT NULL, permissions TEXT NOT NULL, PRIMARY KEY (tenant_id, name)
) STRICT;
CREATE TABLE IF NOT EXISTS users (
  tenant_id TEXT NOT NULL, id TEXT NOT NULL, email TEXT NOT NULL, roles TEXT NOT NULL, teams TEXT NOT NULL,
  PRIMARY KEY (tenant_id, id)
) STRICT;
CREATE TABLE IF NOT EXISTS api_keys (
  tenant_id TEXT NOT NULL, id TEXT NOT NULL, user_id TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL,
  created_at TEXT NOT NULL, expires_at TEXT, revoked_at TEXT, PRIMARY KEY (tenant_id, id)
) STRICT;
CREATE TABLE IF NOT EXISTS unpublished_revocations (
  tenant_id TEXT NOT NULL, key_id TEXT NOT NULL, PRIMARY KEY (tenant_id, key_id)
) STRICT;
CREATE TABLE IF NOT EXISTS agents (
  tenant_id TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, availability TEXT NOT NULL,
  email TEXT, skills TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (tenant_id, id)
) STRICT;
CREATE TABLE IF NOT EXISTS contacts (
  tenant_id TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, email TEXT, phone_number TEXT, company TEXT,
  stage TEXT NOT NULL, owner_id TEXT, tags TEXT NOT NULL, created_at TEXT NOT NULL, last_seen_at TEXT,
  PRIMARY KEY (tenant_id, id)
) STRICT;
CREATE INDEX IF NOT EXISTS contacts_by_name ON contacts (tenant_id, name, id);
CREATE INDEX IF NOT EXISTS contacts_by_start ON contacts (tenant_id, created_at, id);
CREATE INDEX IF NOT EXISTS contacts_by_phone ON contacts (tenant_id, phone_number);
CREATE INDEX IF NOT EXISTS contacts_by_email ON contacts (tenant_id, email);
CREATE TABLE IF NOT EXISTS conversations (
  tenant_id TEXT NOT NULL, id TEXT NOT NULL, subject TEXT, status TEXT NOT NULL, priority TEXT NOT NULL,
  channel TEXT NOT NULL, contact_id TEXT NOT NULL, assignee_id TEXT, unread_count INTEGER NOT NULL, tags TEXT NOT NULL,
  created_at TEXT NOT NULL, last_message_at TEXT NOT NULL, PRIMARY KEY (tenant_id, id)
) STRICT;
CREATE INDEX IF NOT EXISTS conversations_by_activity ON conversations (tenant_id, last_message_at, id);
CREATE INDEX IF NOT EXISTS conversations_by_contact ON conversations (tenant_id, contact_id, last_message_at);
CREATE INDEX IF NOT EXISTS conversations_by_start ON conversations (tenant_id, created_at, id);
CREATE TABLE IF NOT EXISTS messages (
  tenant_id TEXT NOT NULL, id TEXT NOT NULL, conversation_id TEXT NOT NULL, contact_id TEXT NOT NULL,
  channel TEXT NOT NULL, direction TEXT NOT NULL, status TEXT NOT NULL, recipient TEXT NOT NULL, body TEXT NOT NULL,
  author_type TEXT NOT NULL, author_id TEXT NOT NULL, created_at TEXT NOT NULL, delivered_at TEXT,
  PRIMARY KEY (tenant_id, id)
) STRICT;
CREATE INDEX IF NOT EXISTS messages_of_conversation ON messages (tenant_id, conversation_id, created_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS messages_of_agents ON messages (tenant_id, conversation_id, author_id) WHERE author_type = 'agent';
CREATE INDEX IF NOT EXISTS messages_by_day ON messages (tenant_id, created_at);
CREATE TABLE IF NOT EXISTS campaigns (
  tenant_id TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, channel TEXT NOT NULL, status TEXT NOT NULL,
  audience_size INTEGER NOT NULL, starts_at TEXT NOT NULL, PRIMARY KEY (tenant_id, id)
) STRICT;
CREATE TABLE IF NOT EXISTS idempotency_keys (
  tenant_id TEXT NOT NULL, user_id TEXT NOT NULL, key TEXT NOT NULL, request_digest TEXT NOT NULL,
  response TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (tenant_id, user_id, key)
) STRICT;
CREATE INDEX IF NOT EXISTS idempotency_keys_by_age ON idempotency_keys (tenant_id, created_at);
`;
