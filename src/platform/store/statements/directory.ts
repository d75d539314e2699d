/** SQL of contacts, agents and campaigns. Every statement reads and writes only rows of `:tenant`. */

const contact = `
  id, name, email, phone_number AS "phoneNumber", company, stage, owner_id AS "ownerId", tags,
  created_at AS "createdAt", last_seen_at AS "lastSeenAt"`;

const agent = `id, name, kind, availability, email, skills, created_at AS "createdAt"`;

const contactFilters = `
  tenant_id = :tenant
    AND (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)))
    AND (:stage IS NULL OR stage = :stage)
    AND (:q IS NULL OR instr(lower(name), lower(:q)) OR instr(lower(email), lower(:q))
      OR instr(phone_number, :q) OR instr(lower(company), lower(:q)))`;

const contactPage = (column: string, order: "ASC" | "DESC", beyond: ">" | "<"): string => `
  SELECT ${contact} FROM contacts
  WHERE ${contactFilters} AND (:afterKey IS NULL OR (${column}, id) ${beyond} (:afterKey, :afterId))
  ORDER BY ${column} ${order}, id ${order} LIMIT :limit`;

const agentFilters = `
  tenant_id = :tenant
    AND (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)))
    AND (:kind IS NULL OR kind = :kind)`;

export const directory = {
  contactById: `SELECT ${contact} FROM contacts WHERE tenant_id = :tenant AND id = :id`,
  contactPage: contactPage("name", "ASC", ">"),
  contactPageByStart: contactPage("created_at", "DESC", "<"),
  contactCount: `SELECT COUNT(*) AS "count" FROM contacts WHERE ${contactFilters}`,
  insertContact: `
    INSERT INTO contacts (tenant_id, id, name, email, phone_number, company, stage, owner_id, tags, created_at,
      last_seen_at)
    VALUES (:tenant, :id, :name, :email, :phoneNumber, :company, :stage, :ownerId, :tags, :createdAt, :lastSeenAt)`,
  agentById: `SELECT ${agent} FROM agents WHERE tenant_id = :tenant AND id = :id`,
  agentPage: `
    SELECT ${agent} FROM agents
    WHERE ${agentFilters} AND (:afterKey IS NULL OR (name, id) > (:afterKey, :afterId))
    ORDER BY name, id LIMIT :limit`,
  agentCount: `SELECT COUNT(*) AS "count" FROM agents WHERE ${agentFilters}`,
  insertAgent: `
    INSERT INTO agents (tenant_id, id, name, kind, availability, email, skills, created_at)
    VALUES (:tenant, :id, :name, :kind, :availability, :email, :skills, :createdAt)`,
  campaignPage: `
    SELECT id, name, channel, status, audience_size AS "audienceSize", starts_at AS "startsAt" FROM campaigns
    WHERE tenant_id = :tenant AND (:afterKey IS NULL OR (starts_at, id) < (:afterKey, :afterId))
    ORDER BY starts_at DESC, id DESC LIMIT :limit`,
  insertCampaign: `
    INSERT INTO campaigns (tenant_id, id, name, channel, status, audience_size, starts_at)
    VALUES (:tenant, :id, :name, :channel, :status, :audienceSize, :startsAt)`,
} as const;
