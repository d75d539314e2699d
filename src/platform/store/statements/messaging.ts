/** SQL for sending a message: statements for its contact, its conversation and its idempotency key. */
export const messaging = {
  contactIdByPhone: `
    SELECT id FROM contacts WHERE tenant_id = :tenant AND phone_number = :to ORDER BY created_at, id LIMIT 1`,
  contactIdByEmail: `
    SELECT id FROM contacts WHERE tenant_id = :tenant AND email = lower(:to) ORDER BY created_at, id LIMIT 1`,
  contactIdById: `SELECT id FROM contacts WHERE tenant_id = :tenant AND id = :to`,
  openConversationId: `
    SELECT id FROM conversations
    WHERE tenant_id = :tenant AND contact_id = :contactId AND channel = :channel AND status <> 'closed'
    ORDER BY last_message_at DESC, id DESC LIMIT 1`,
  answerConversation: `
    UPDATE conversations SET status = 'pending', unread_count = 0, last_message_at = :now
    WHERE tenant_id = :tenant AND id = :id`,
  forgetIdempotencyKeys: `DELETE FROM idempotency_keys WHERE tenant_id = :tenant AND created_at < :before`,
  idempotencyKey: `
    SELECT request_digest AS "requestDigest", response FROM idempotency_keys
    WHERE tenant_id = :tenant AND user_id = :user AND key = :key`,
  insertIdempotencyKey: `
    INSERT INTO idempotency_keys (tenant_id, user_id, key, request_digest, response, created_at)
    VALUES (:tenant, :user, :key, :requestDigest, :response, :now)`,
} as const;
