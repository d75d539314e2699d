/**
 * SQL of the metrics, which aggregate the messages and conversations of a half-open time range. Each row has a `name` and a
 * `value`, so a new metric is one more SELECT.
 */

/** For each conversation that began in the range: the seconds from its first inbound message to the next outbound one. */
const responses = `
  responses AS (
    SELECT c.created_at AS began, (
      SELECT (julianday(MIN(o.created_at)) - julianday(i.at)) * 86400
      FROM (SELECT MIN(created_at) AS at FROM messages
        WHERE tenant_id = :tenant AND conversation_id = c.id AND direction = 'inbound') AS i
      JOIN messages AS o ON o.tenant_id = :tenant AND o.conversation_id = c.id AND o.direction = 'outbound'
        AND o.created_at > i.at) AS seconds
    FROM conversations AS c
    WHERE c.tenant_id = :tenant AND c.created_at >= :from AND c.created_at < :until)`;

const inRange = `tenant_id = :tenant AND created_at >= :from AND created_at < :until`;

export const insights = {
  metricPoints: `
    WITH ${responses},
    written AS (
      SELECT substr(created_at, 1, 10) AS day, SUM(direction = 'inbound') AS received, SUM(direction = 'outbound') AS sent,
        SUM(status = 'failed') AS failed, COUNT(DISTINCT iif(direction = 'inbound', contact_id, NULL)) AS contacts
      FROM messages WHERE ${inRange} GROUP BY day)
    SELECT 'messages_received' AS name, day, received AS value FROM written
    UNION ALL SELECT 'messages_sent', day, sent FROM written
    UNION ALL SELECT 'messages_failed', day, failed FROM written
    UNION ALL SELECT 'active_contacts', day, contacts FROM written
    UNION ALL SELECT 'conversations_started', substr(created_at, 1, 10), COUNT(*) FROM conversations
      WHERE ${inRange} GROUP BY 2
    UNION ALL SELECT 'first_response_time', substr(began, 1, 10), round(AVG(seconds), 1) FROM responses GROUP BY 2`,
  metricTotals: `
    WITH ${responses},
    written AS (
      SELECT COUNT(*) FILTER (WHERE direction = 'inbound') AS received,
        COUNT(*) FILTER (WHERE direction = 'outbound') AS sent, COUNT(*) FILTER (WHERE status = 'failed') AS failed,
        COUNT(DISTINCT iif(direction = 'inbound', contact_id, NULL)) AS contacts
      FROM messages WHERE ${inRange})
    SELECT 'messages_received' AS name, received AS value FROM written
    UNION ALL SELECT 'messages_sent', sent FROM written
    UNION ALL SELECT 'messages_failed', failed FROM written
    UNION ALL SELECT 'active_contacts', contacts FROM written
    UNION ALL SELECT 'conversations_started', COUNT(*) FROM conversations WHERE ${inRange}
    UNION ALL SELECT 'first_response_time', round(AVG(seconds), 1) FROM responses`,
} as const;
