/** CRM, AI and engage: lists of contacts, agents and campaigns, and single ones by id. */
import { type Handler, numberOf, rowById, type Sorts, sortOf, sqlValue, stringOf } from "../handler.ts";
import { afterCursor, strings, toPage, totalOf } from "../store/row.ts";
import type { Row } from "../store/store.ts";

const toContact = (row: Row): Record<string, unknown> => ({ ...row, tags: strings(row.tags) });
const toAgent = (row: Row): Record<string, unknown> => ({ ...row, skills: strings(row.skills) });

const contactSorts: Sorts = {
  name: ["contactPage", "name"],
  newest: ["contactPageByStart", "createdAt"],
};

export const listContacts: Handler = ({ tenant }, { query }) => {
  const limit = numberOf(query.limit, 50);
  const cursor = stringOf(query.cursor);
  const [statement, column] = sortOf(contactSorts, query.sort);
  const filters = { ids: sqlValue(query.ids), stage: sqlValue(query.stage), q: sqlValue(query.q) };
  const rows = tenant.all(statement, { ...filters, ...afterCursor(cursor), limit: limit + 1 });
  const page = toPage(rows, limit, column);
  const totalCount = totalOf(page, cursor, () => tenant.get("contactCount", filters));
  return { ...page, items: page.items.map(toContact), totalCount };
};

export const getContact: Handler = ({ tenant }, { path }) =>
  toContact(rowById(tenant, "contact", path.contactId));

export const listAgents: Handler = ({ tenant }, { query }) => {
  const limit = numberOf(query.limit, 50);
  const cursor = stringOf(query.cursor);
  const filters = { ids: sqlValue(query.ids), kind: sqlValue(query.kind) };
  const rows = tenant.all("agentPage", { ...filters, ...afterCursor(cursor), limit: limit + 1 });
  const page = toPage(rows, limit, "name");
  const totalCount = totalOf(page, cursor, () => tenant.get("agentCount", filters));
  return { ...page, items: page.items.map(toAgent), totalCount };
};

export const getAgent: Handler = ({ tenant }, { path }) => toAgent(rowById(tenant, "agent", path.agentId));

export const listCampaigns: Handler = ({ tenant }, { query }) => {
  const limit = numberOf(query.limit, 50);
  const rows = tenant.all("campaignPage", { ...afterCursor(stringOf(query.cursor)), limit: limit + 1 });
  return toPage(rows, limit, "startsAt");
};
