/** Each product's part of the screen. A part without data says so and leaves the others alone. */
/** @import { FindCustomersQuery, StartPageQuery } from "../../generated/documents.ts" */
/** @import { GraphqlError } from "./client.js" */
import { drawMetrics } from "./charts.js";
import { find, make } from "./elements.js";

/** @typedef {NonNullable<FindCustomersQuery["contactsConnection"]>["edges"][number]["node"][]} Contacts */

const shownContacts = 8;

/** What a field of the operation is to the reader. */
const names = /** @type {Record<string, string>} */ ({
  me: "your profile",
  metrics: "metrics",
  conversationsConnection: "conversations",
  contact: "names of contacts",
  assignee: "assignees",
  agents: "agents",
  contacts: "contacts",
  contactsConnection: "contacts",
});

/** @param {Element | null} place @param {...(Node | string)} children */
const fill = (place, ...children) => place?.replaceChildren(...children);

/**
 * @param {string} field
 * @param {readonly GraphqlError[]} errors
 */
const missing = (field, errors) => {
  const isForbidden = errors.some((error) => names[fieldOf(error)] === names[field] && isRefusal(error));
  const why = isForbidden ? "This key may not read" : "Cannot be shown right now";
  return make("p", { class: "missing" }, `${why}: ${names[field]}.`);
};

/** The key lacks the permission: to try again is of no use. @param {GraphqlError} error */
const isRefusal = ({ extensions }) => extensions?.code === "FORBIDDEN";

/** A server's message as a sentence: without the operation's name, and without Markdown. @param {string} text */
export const sentence = (text) =>
  `${text
    .replace(/^\w+: /, "")
    .replaceAll("`", "")
    .replace(/\.+$/, "")}.`;

/** @param {string} text */
const readable = (text) => text.toLowerCase().replaceAll("_", " ").replaceAll("-", " ");

/** @param {string} instant */
function ago(instant) {
  const minutes = (Date.now() - Date.parse(instant)) / 60_000;
  const words = new Intl.RelativeTimeFormat("en", { style: "narrow" });
  if (minutes < 60) return words.format(-Math.round(minutes), "minute");
  if (minutes < 48 * 60) return words.format(-Math.round(minutes / 60), "hour");
  return words.format(-Math.round(minutes / 1440), "day");
}

/**
 * @param {StartPageQuery} data
 * @param {readonly GraphqlError[]} errors
 * @param {boolean} isPending whether the fields of the slowest product are still to come
 */
export function showAll(data, errors, isPending) {
  const { me, metrics, contacts } = data;
  fill(
    find("#me"),
    me ? `${me.email} · ${me.tenantId} · ${me.roles.join(", ")}` : "who you are is not known right now",
  );
  if (metrics) drawMetrics(find("#metrics"), metrics);
  else
    fill(
      find("#metrics"),
      make("div", { class: "card" }, make("h2", {}, "Metrics"), missing("metrics", errors)),
    );
  showContacts(contacts, errors);
  showDeferred(data, errors, isPending);
}

/**
 * Draws only what the deferred parts change, so that a later part does not draw the charts anew.
 * @param {StartPageQuery} data
 * @param {readonly GraphqlError[]} errors
 * @param {boolean} isPending
 */
export function showDeferred({ conversationsConnection, agents }, errors, isPending) {
  showErrors(errors);
  showConversations(conversationsConnection, errors, isPending);
  if (isPending && agents === undefined)
    fill(find("#agents .body"), make("p", { class: "quiet" }, "Loading …"));
  else showAgents(agents, errors);
}

/** The name of the field that failed: the last of its path that is no index. @param {GraphqlError} error */
const fieldOf = ({ path = [] }) => String(path.findLast((step) => typeof step === "string") ?? "");

/** @param {readonly GraphqlError[]} errors */
export function showErrors(errors) {
  const notice = find("#notice");
  notice.hidden = errors.length === 0;
  /** @param {readonly GraphqlError[]} some */
  const partsOf = (some) => [...new Set(some.flatMap((error) => names[fieldOf(error)] ?? []))].join(", ");
  const refused = partsOf(errors.filter(isRefusal));
  const down = partsOf(errors.filter((error) => !isRefusal(error)));
  const [first] = errors;
  notice.textContent =
    refused || down
      ? `${down && `Missing right now: ${down}. `}${refused && `This key may not read: ${refused}. `}Everything else is up to date.`
      : first
        ? `Nothing could be loaded: ${sentence(first.message)}`
        : "";
}

/** @param {readonly string[]} heads @param {readonly (Node | string)[][]} rows */
function tableOf(heads, rows) {
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)));
  // on a narrow screen each row is a card, and each cell shows its head
  const lines = rows.map((cells) =>
    make("tr", {}, ...cells.map((cell, index) => make("td", { "data-head": heads[index] ?? "" }, cell))),
  );
  return make(
    "div",
    { class: "scroll" },
    make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines)),
  );
}

/**
 * @param {StartPageQuery["conversationsConnection"]} connection
 * @param {readonly GraphqlError[]} errors
 * @param {boolean} isPending
 */
function showConversations(connection, errors, isPending) {
  const place = find("#conversations .body");
  if (!connection) return fill(place, missing("conversationsConnection", errors));
  if (connection.nodes.length === 0)
    return fill(place, make("p", { class: "quiet" }, "No open conversations."));
  const failed = new Set(errors.map(fieldOf));
  /** @param {string} field */
  const unknown = (field) => make("span", { class: "missing" }, failed.has(field) ? "unknown" : "");
  const rows = connection.nodes.map(
    ({ contact, subject, channel, priority, assignee, lastMessageAt, unreadCount }) => [
      make("strong", {}, contact?.name ?? unknown("contact")),
      make("span", {}, subject ?? make("span", { class: "quiet" }, "no subject"), ...badge(unreadCount)),
      channel,
      make("span", { class: `chip ${priority.toLowerCase()}` }, readable(priority)),
      assignee?.name ??
        ((isPending && assignee === undefined && make("span", { class: "quiet" }, "…")) ||
          (failed.has("assignee") ? unknown("assignee") : make("span", { class: "quiet" }, "nobody"))),
      make("time", { datetime: lastMessageAt }, ago(lastMessageAt)),
    ],
  );
  const shown = `${rows.length} of ${connection.totalCount} open conversations, the latest first`;
  fill(
    place,
    tableOf(["Contact", "Subject", "Channel", "Priority", "Assignee", "Latest"], rows),
    make("p", { class: "quiet" }, shown),
  );
}

/** @param {number} count */
const badge = (count) =>
  count > 0 ? [make("span", { class: "badge", title: "unread messages" }, `${count} new`)] : [];

/**
 * @param {StartPageQuery["agents"]} agents
 * @param {readonly GraphqlError[]} errors
 */
function showAgents(agents, errors) {
  const place = find("#agents .body");
  if (!agents) return fill(place, missing("agents", errors));
  if (agents.length === 0) return fill(place, make("p", { class: "quiet" }, "Nobody works here yet."));
  const order = ["ONLINE", "AWAY", "OFFLINE"];
  const sorted = agents.toSorted(
    (one, other) => order.indexOf(one.availability) - order.indexOf(other.availability),
  );
  const items = sorted.map(({ name, kind, availability }) =>
    make(
      "li",
      {},
      make("span", { class: `dot ${availability.toLowerCase()}` }),
      make("span", {}, name),
      make(
        "span",
        { class: "quiet" },
        kind === "AI" ? `AI, ${readable(availability)}` : readable(availability),
      ),
    ),
  );
  fill(place, make("ul", {}, ...items));
}

/**
 * @param {Pick<Contacts[number], "name" | "company" | "stage" | "email" | "phone">[] | null | undefined} contacts
 * @param {readonly GraphqlError[]} errors
 */
export function showContacts(contacts, errors) {
  const place = find("#contacts .body");
  if (!contacts) return fill(place, missing("contacts", errors));
  if (contacts.length === 0) return fill(place, make("p", { class: "quiet" }, "Nobody found."));
  const rows = contacts.slice(0, shownContacts).map(({ name, company, stage, email, phone }) => [
    make("strong", {}, name),
    company ?? "",
    make("span", { class: "chip" }, readable(stage)),
    email ?? "",
    make(
      "button",
      {
        ...{ class: "write", type: "button", "aria-label": `Write to ${name}` },
        ...{ "data-phone": phone ?? "", "data-email": email ?? "" },
      },
      "Write",
    ),
  ]);
  const more = `The first ${shownContacts} by name. A longer search text finds fewer.`;
  fill(
    place,
    tableOf(["Name", "Company", "Stage", "E-mail", "Message"], rows),
    ...(contacts.length > shownContacts ? [make("p", { class: "quiet" }, more)] : []),
  );
}
