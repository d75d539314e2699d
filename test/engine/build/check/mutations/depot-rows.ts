/** Breaking edits of the depot document, picked by hand. */
import { add, optional, type Row, remove, rename, replace, schema } from "./row.ts";
import type { Path } from "./yaml-edit.ts";

/** `operationId` → a field that is bound to the operation. */
export const depotFields = {
  warehouse_get: "Query.warehouse",
  parcels_of_warehouse: "Query.parcels",
  parcel_create: "Mutation.createParcel",
  parcel_weigh: "Mutation.weighParcel",
  couriers_by_code: "Parcel.courier",
};

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

export const depotRows: Row[] = [
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
