/** Breaking edits of operations, parameters, bodies, enums and discriminators. Hand-picked: one line says what breaks where. */
import type { Mutation } from "./mutation.ts";
import type { Pair } from "./pair.ts";
import { type Edit, type Path, YamlEdit } from "./yaml-edit.ts";

type Make = (yaml: YamlEdit) => Edit;
type Row = readonly [name: string, make: Make, ...coordinates: string[]];

const schema = (name: string, ...below: Path): Path => ["components", "schemas", name, ...below];
const remove =
  (...path: Path): Make =>
  (yaml) =>
    yaml.remove(path);
const rename =
  (name: string, ...path: Path): Make =>
  (yaml) =>
    yaml.rename(path, name);
/** No longer required: the line of the property says it as well as the line of the list. */
const optional =
  (index: number, name: string, ...holder: Path): Make =>
  (yaml) => {
    const edit = yaml.remove([...holder, "required", index]);
    return {
      ...edit,
      lines: [...edit.lines, new YamlEdit(edit.text).lineOf([...holder, "properties", name])],
    };
  };
const replace =
  (text: string, ...path: Path): Make =>
  (yaml) =>
    yaml.replace(path, text);
const add =
  (text: string, ...path: Path): Make =>
  (yaml) => {
    const edit = yaml.add(path, text);
    // a list's or map's own line, and the new one below it
    return { ...edit, lines: [...edit.lines, ...edit.lines.map((line) => line - 1), yaml.lineOf(path)] };
  };

export function operationMutations(pair: Pair): Mutation[] {
  const yaml = new YamlEdit(pair.files.get("openapi.yaml") ?? "");
  const rows = pair.name === "depot" ? depotRows : messagingRows;
  const everywhere = [...rows, ...operationRows(yaml, pair.name === "depot" ? depotFields : messagingFields)];
  return everywhere.map(([name, make, ...coordinates]) => ({
    name: `${pair.name}: ${name}`,
    file: "openapi.yaml",
    edit: make(yaml),
    coordinates,
  }));
}

/** operationId → a field that is bound to it. */
const messagingFields = {
  getMe: "Query.me",
  listConversations: "Query.conversations",
  getConversation: "Query.conversation",
  getMessage: "Query.message",
  listConversationsByContact: "Contact.conversations",
  listMessages: "Conversation.messages",
  listAgents: "Query.agents",
  getAgent: "Query.agent",
  listContacts: "Query.contacts",
  getContact: "Query.contact",
  getMetrics: "Query.metrics",
  sendMessage: "Mutation.sendMessage",
};

const depotFields = {
  warehouse_get: "Query.warehouse",
  parcels_of_warehouse: "Query.parcels",
  parcel_create: "Mutation.createParcel",
  parcel_weigh: "Mutation.weighParcel",
  couriers_by_code: "Parcel.courier",
};

/** What breaks any operation. */
function operationRows(yaml: YamlEdit, fields: Readonly<Record<string, string>>): Row[] {
  const paths = Object.entries(
    yaml.value(["paths"]) as Record<string, Record<string, { operationId?: string }>>,
  );
  return paths.flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId = "", ...operation }]): Row[] => {
      const field = fields[operationId];
      if (field === undefined) return [];
      const at: Path = ["paths", path, method];
      const success = Object.keys((operation as { responses: object }).responses).find((status) =>
        status.startsWith("2"),
      );
      const answer: Path = [...at, "responses", success ?? ""];
      return [
        [`${operationId} removed`, remove(...at), field],
        [`${operationId} renamed`, replace(`${operationId}_2`, ...at, "operationId"), field],
        [`${operationId} made another method`, rename(method === "get" ? "delete" : "patch", ...at), field],
        [
          `${operationId} moved`,
          (edits) => ({
            ...edits.rename(["paths", path], `${path}/v2`),
            lines: [edits.lineOf(at), edits.lineOf(["paths", path])],
          }),
          field,
        ],
        [
          `${operationId} answers no JSON`,
          rename("text/plain", ...answer, "content", "application/json"),
          field,
        ],
        [`${operationId} fails instead`, rename("'302'", ...answer), field],
        [`${operationId} needs a new header`, newHeader(at), field],
      ];
    }),
  );
}

/** A new required header, in the operation's own list. */
const newHeader =
  (at: Path): Make =>
  (yaml) => {
    const header = "{ name: X-New, in: header, required: true, schema: { type: string } }";
    const known = yaml.value([...at, "parameters"]) !== undefined;
    return known ? add(header, ...at, "parameters")(yaml) : add(`parameters: [${header}]`, ...at)(yaml);
  };

const conversations: Path = ["paths", "/v1/inbox/conversations", "get", "parameters"];
const contacts: Path = ["paths", "/v1/crm/contacts", "get", "parameters"];
const byContact: Path = ["paths", "/v1/inbox/conversations-by-contact", "get", "parameters"];
const one: Path = ["paths", "/v1/crm/contacts/{contactId}", "get"];
const shared: Path = ["components", "parameters"];
const send: Path = ["paths", "/v1/messages", "post"];

const messagingRows: Row[] = [
  ["filter removed", remove(...conversations, 1), "Query.conversationsConnection"],
  ["filter renamed", replace("state", ...conversations, 1, "name"), "Query.conversationsConnection"],
  [
    "filter retyped",
    replace("{ type: integer }", ...conversations, 1, "schema"),
    "Query.conversationsConnection",
  ],
  ["filter became a header", replace("header", ...conversations, 1, "in"), "Query.conversationsConnection"],
  ["search renamed", replace("search", ...contacts, 0, "name"), "Query.contacts"],
  [
    "search became a list",
    replace("{ type: array, items: { type: string } }", ...contacts, 0, "schema"),
    "Query.contacts",
  ],
  ["search made required", add("required: true", ...contacts, 0), "Query.contacts"],
  [
    "search cut shorter",
    replace("{ type: string, maxLength: 10 }", ...contacts, 0, "schema"),
    "Query.contacts",
  ],
  [
    "batch key made one value",
    replace("{ type: string }", ...byContact, 0, "schema"),
    "Contact.conversations",
  ],
  [
    "batch key retyped",
    replace("{ type: integer }", ...byContact, 0, "schema", "items"),
    "Contact.conversations",
  ],
  ["batch key renamed", replace("contacts", ...byContact, 0, "name"), "Contact.conversations"],
  [
    "batch key written otherwise",
    replace("pipeDelimited", ...byContact, 0, "style"),
    "Contact.conversations",
  ],
  ["batch key exploded", replace("true", ...byContact, 0, "explode"), "Contact.conversations"],
  [
    "batch key in an impossible style",
    replace("deepObject", ...byContact, 0, "style"),
    "Contact.conversations",
  ],
  ["batch made smaller", replace("10", ...byContact, 0, "schema", "maxItems"), "Contact.conversations"],
  ["ids renamed", replace("id", ...shared, "Ids", "name"), "Conversation.contact"],
  ["limit renamed", replace("pageSize", ...shared, "Limit", "name"), "Conversation.contact"],
  ["limit lowered", replace("50", ...shared, "Limit", "schema", "maximum"), "Conversation.contact"],
  ["limit's default lowered", replace("10", ...shared, "Limit", "schema", "default"), "Query.conversations"],
  ["cursor retyped", replace("{ type: integer }", ...shared, "Cursor", "schema"), "Query.contactsConnection"],
  ["path parameter renamed", replace("id", ...one, "parameters", 0, "name"), "Query.contact"],
  [
    "path parameter made a number",
    replace("{ type: boolean }", ...one, "parameters", 0, "schema"),
    "Query.contact",
  ],
  ["404 no longer documented", remove(...one, "responses", "404"), "Query.contact"],
  ["permission changed", replace("crm:secrets:read", ...one, "x-permission"), "Query.contact"],
  ["API keys no longer taken", remove("security", 0), "Query.me", "Contact.conversations"],
  ["API keys no longer taken by one", add("security: [{ bearer: [] }]", ...one), "Query.contact"],
  [
    "API keys in another header",
    replace("X-Key", "components", "securitySchemes", "apiKey", "name"),
    "Query.me",
    "Contact.conversations",
  ],
  ["both credentials at once", replace("[{ apiKey: [], bearer: [] }]", "security"), "Query.me"],
  ["product changed", replace("[sales]", ...one, "tags"), "Query.contact"],
  ["header renamed", replace("Idempotency-Token", ...send, "parameters", 0, "name"), "Mutation.sendMessage"],
  [
    "header became a query parameter",
    replace("query", ...send, "parameters", 0, "in"),
    "Mutation.sendMessage",
  ],
  ["body property removed", remove(...schema("MessageInput"), "properties", "to"), "Mutation.sendMessage"],
  [
    "body property renamed",
    rename("text", ...schema("MessageInput"), "properties", "body"),
    "Mutation.sendMessage",
  ],
  [
    "body property retyped",
    replace("{ type: array, items: { type: string } }", ...schema("MessageInput"), "properties", "to"),
    "Mutation.sendMessage",
  ],
  [
    "body property new and required",
    (yaml) => add("priority", ...schema("MessageInput"), "required")(yaml),
    "Mutation.sendMessage",
  ],
  [
    "body no longer JSON",
    rename("application/xml", ...send, "requestBody", "content", "application/json"),
    "Mutation.sendMessage",
  ],
  ["enum grown: status", add("archived", ...schema("ConversationStatus"), "enum"), "Conversation.status"],
  ["enum grown: stage", add("lost", ...schema("ContactStage"), "enum"), "Contact.stage"],
  ["enum grown: kind", add("bot", ...schema("AgentKind"), "enum"), "Agent.kind"],
  ["enum grown: channel, a String", add("fax", ...schema("Channel"), "enum"), "Conversation.channel"],
  ["enum cut: status", remove(...schema("ConversationStatus"), "enum", 2), "Query.conversationsConnection"],
  ["enum cut: stage", remove(...schema("ContactStage"), "enum", 0), "Query.contactsConnection"],
  ["enum dropped: priority", remove(...schema("Priority"), "enum"), "Conversation.priority"],
  ["id pattern tightened", replace("'^[a-z]+$'", ...schema("Id"), "pattern"), "Query.contact"],
  ["discriminator dropped", remove(...schema("MessageAuthor"), "discriminator"), "Message.author"],
  [
    "discriminator renamed",
    replace("kind", ...schema("MessageAuthor"), "discriminator", "propertyName"),
    "Message.author",
  ],
  [
    "discriminator value renamed",
    replace("[bot]", ...schema("AgentAuthor"), "properties", "type", "enum"),
    "Message.author",
  ],
  ["discriminator property optional", optional(0, "type", ...schema("UserAuthor")), "Message.author"],
  ["union member removed", remove(...schema("MessageAuthor"), "oneOf", 1), "Message.author"],
  [
    "union member added",
    add("$ref: '#/components/schemas/Metrics'", ...schema("MessageAuthor"), "oneOf"),
    "Message.author",
  ],
  ["result moved", rename("results", ...schema("Metrics"), "properties", "items"), "Query.metrics"],
  [
    "result made nullable and single",
    replace("{ type: object }", ...schema("Metrics"), "properties", "items"),
    "Query.metrics",
  ],
  [
    "key of a link removed",
    remove(...schema("Conversation"), "properties", "assigneeId"),
    "Conversation.assignee",
  ],
  [
    "key of a link retyped",
    replace("{ type: integer }", ...schema("Contact"), "properties", "ownerId"),
    "Contact.owner",
  ],
  [
    "keys of a link made single",
    replace("{ type: string }", ...schema("Conversation"), "properties", "participantIds"),
    "Conversation.participants",
  ],
];

const warehouse: Path = ["paths", "/api/warehouses/{warehouse_id}"];
const parcels: Path = ["paths", "/api/warehouses/{warehouse_id}/parcels", "get", "parameters"];
const weigh: Path = ["paths", "/api/parcels/{barcode}/weight", "put"];
const couriers: Path = ["paths", "/api/couriers", "get", "parameters", 0];
const nested: Path = [
  ...warehouse,
  "get",
  "responses",
  "200",
  "content",
  "application/json",
  "schema",
  "properties",
  "data",
];

const depotRows: Row[] = [
  [
    "shared path parameter retyped",
    replace("{ type: string }", ...warehouse, "parameters", 0, "schema"),
    "Query.warehouse",
  ],
  ["header renamed", replace("X-Zone", ...warehouse, "get", "parameters", 0, "name"), "Query.warehouse"],
  ["header enum cut", remove(...warehouse, "get", "parameters", 0, "schema", "enum", 1), "Query.warehouse"],
  ["nested result renamed", rename("body", ...nested.slice(0, -1), "data"), "Query.warehouse"],
  ["nested result moved", rename("depot", ...nested, "properties", "warehouse"), "Query.warehouse"],
  ["array filter exploded otherwise", replace("false", ...parcels, 1, "explode"), "Query.parcels"],
  ["array filter made single", replace("{ type: string }", ...parcels, 1, "schema"), "Query.parcels"],
  [
    "state in the filter cut",
    replace("{ type: string, enum: [lost] }", ...parcels, 1, "schema", "items"),
    "Query.parcels",
  ],
  ["page size lowered below the default", replace("40", ...parcels, 2, "schema", "maximum"), "Query.parcels"],
  ["page size made text", replace("{ type: string }", ...parcels, 2, "schema"), "Query.parcels"],
  [
    "token made a cookie",
    (yaml) => ({
      ...yaml.replace([...parcels, 3, "in"], "cookie"),
      was: [yaml.lineOf([...parcels, 3, "name"])],
    }),
    "Query.parcels",
  ],
  [
    "body made another media type",
    rename("application/xml", ...weigh, "requestBody", "content", "application/json"),
    "Mutation.weighParcel",
  ],
  [
    "body property retyped",
    replace(
      "{ type: boolean }",
      ...weigh,
      "requestBody",
      "content",
      "application/json",
      "schema",
      "properties",
      "grams",
    ),
    "Mutation.weighParcel",
  ],
  [
    "deep body property renamed",
    rename("lng", ...schema("Address"), "properties", "geo", "properties", "lon"),
    "GeoInput.lon",
  ],
  ["deep body property required", add("zip", ...schema("Receiver"), "required"), "ParcelInput.receiver"],
  ["input enum cut", remove(...schema("Money"), "properties", "currency", "enum", 0), "MoneyInput.currency"],
  ["batch style impossible", replace("deepObject", ...couriers, "style"), "Parcel.courier"],
  ["batch style changed", replace("spaceDelimited", ...couriers, "style"), "Parcel.courier"],
  ["batch made smaller", replace("5", ...couriers, "schema", "maxItems"), "Parcel.courier"],
  ["batch match optional", optional(0, "code", ...schema("Courier")), "Parcel.courier"],
  [
    "deep allOf: base property gone",
    remove(...schema("Entity"), "properties", "created_on"),
    "Warehouse.createdOn",
  ],
  ["deep allOf: part removed", remove(...schema("Named"), "allOf", 1), "Warehouse.name"],
  ["oneOf member removed", remove(...schema("Content"), "oneOf", 0), "Parcel.content"],
  ["discriminator dropped", remove(...schema("Content"), "discriminator"), "Parcel.content"],
  [
    "discriminator mapping to nothing",
    replace("'#/components/schemas/None'", ...schema("Content"), "discriminator", "mapping", "goods"),
    "#/components/schemas/None",
    "Parcel.content",
  ],
  [
    "discriminator property optional",
    optional(0, "content_type", ...schema("ContentBase")),
    "Parcel.content",
  ],
  ["weekday grown", add("holiday", ...schema("Weekday"), "enum"), "Warehouse.openDays"],
  ["state grown", add("returned", ...schema("ParcelState"), "enum"), "Parcel.state"],
  ["state cut for inputs", remove(...schema("ParcelState"), "enum", 0), "Query.parcels", "ParcelInput.state"],
  [
    "nested list flattened",
    replace("{ type: number }", ...schema("Parcel"), "allOf", 1, "properties", "stops", "items"),
    "Parcel.stops",
  ],
];
