/** CRM, AI and engage: lists of contacts, agents and campaigns, and single ones by id. */
import { found, type Handler, numberOf, sqlValue, textOf } from "../handler.ts";
import { afterCursor, strings, toPage } from "../store/row.ts";
import type { Row } from "../store/store.ts";

const toContact = (row: Row): Record<string, unknown> => ({ ...row, tags: strings(row.tags) });
const toAgent = (row: Row): Record<string, unknown> => ({ ...row, skills: strings(row.skills) });

export const listContacts: Handler = ({ tenant }, { query }) => {
  const limit = numberOf(query.limit, 50);
  const rows = tenant.all("contactPage", {
    ids: sqlValue(query.ids),
    stage: sqlValue(query.stage),
    q: sqlValue(query.q),
    ...afterCursor(textOf(query.cursor)),
    limit: limit + 1,
  });
  const page = toPage(rows, limit, "name");
  return { ...page, items: page.items.map(toContact) };
};

export const getContact: Handler = ({ tenant }, { path }) =>
  toContact(found(tenant.get("contactById", { id: path.contactId ?? "" }), "contact"));

export const listAgents: Handler = ({ tenant }, { query }) => {
  const limit = numberOf(query.limit, 50);
  const rows = tenant.all("agentPage", {
    ids: sqlValue(query.ids),
    kind: sqlValue(query.kind),
    ...afterCursor(textOf(query.cursor)),
    limit: limit + 1,
  });
  const page = toPage(rows, limit, "name");
  return { ...page, items: page.items.map(toAgent) };
};

export const getAgent: Handler = ({ tenant }, { path }) =>
  toAgent(found(tenant.get("agentById", { id: path.agentId ?? "" }), "agent"));

export const listCampaigns: Handler = ({ tenant }, { query }) => {
  const limit = numberOf(query.limit, 50);
  const rows = tenant.all("campaignPage", { ...afterCursor(textOf(query.cursor)), limit: limit + 1 });
  return toPage(rows, limit, "startsAt");
};
