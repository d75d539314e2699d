/** CRM, AI and engage: lists of contacts, agents and campaigns, and single contacts and agents by id. */
import { type Handler, readPage, rowById, type Sorts, sqlValue } from "../handler.ts";
import { strings } from "../store/row.ts";
import type { Row } from "../store/store.ts";

const toContact = (row: Row): Record<string, unknown> => ({ ...row, tags: strings(row.tags) });
const toAgent = (row: Row): Record<string, unknown> => ({ ...row, skills: strings(row.skills) });

const contactSorts: Sorts = {
  name: ["contactPage", "name"],
  newest: ["contactPageByStart", "createdAt"],
};

export const listContacts: Handler = ({ tenant }, { query }) => {
  const filters = { ids: sqlValue(query.ids), stage: sqlValue(query.stage), q: sqlValue(query.q) };
  const page = readPage(tenant, query, { sorts: contactSorts, filters, count: "contactCount" });
  return { ...page, items: page.items.map(toContact) };
};

export const getContact: Handler = ({ tenant }, { path }) =>
  toContact(rowById(tenant, "contact", path.contactId));

export const listAgents: Handler = ({ tenant }, { query }) => {
  const filters = { ids: sqlValue(query.ids), kind: sqlValue(query.kind) };
  const page = readPage(tenant, query, {
    sorts: { name: ["agentPage", "name"] },
    filters,
    count: "agentCount",
  });
  return { ...page, items: page.items.map(toAgent) };
};

export const getAgent: Handler = ({ tenant }, { path }) => toAgent(rowById(tenant, "agent", path.agentId));

export const listCampaigns: Handler = ({ tenant }, { query }) =>
  readPage(tenant, query, { sorts: { latest: ["campaignPage", "startsAt"] } });
