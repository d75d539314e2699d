/** The type of the handlers, and functions with which handlers read parameters and rows. A handler implements one operation. */
import { CodedError } from "restbound";
import type { TenantContext } from "restbound/role";
import type { OperationInput } from "./contract.ts";
import { afterCursor, type SortColumn, toPage, totalOf } from "./store/row.ts";
import type { StatementName } from "./store/statements.ts";
import type { Row, Store, TenantStore } from "./store/store.ts";

export type HandlerContext = {
  caller: TenantContext;
  /** The store's access to the rows of the caller's tenant. A handler has no access to other rows. */
  tenant: TenantStore;
  store: Pick<Store, "transaction">;
};

export type Handler = (context: HandlerContext, input: OperationInput) => unknown;

type Kind = "agent" | "contact" | "conversation" | "message";

/** Returns the row with this id, or throws `NOT_FOUND`. An id that belongs to another tenant counts as unknown. */
export function rowById(tenant: TenantStore, kind: Kind, id = ""): Row {
  const row = tenant.get(`${kind}ById`, { id });
  if (!row) throw new CodedError("NOT_FOUND", `no such ${kind}`);
  return row;
}

/** Converts a query parameter to an SQL value. An absent parameter becomes null, and a list becomes JSON text. */
export function sqlValue(value: OperationInput["query"][string]): string | number | null {
  if (Array.isArray(value)) return JSON.stringify(value);
  return value === undefined ? null : typeof value === "boolean" ? Number(value) : value;
}

export const stringOf = (value: OperationInput["query"][string]): string | undefined =>
  typeof value === "string" ? value : undefined;

/** Returns a numeric parameter. If it is absent, returns `fallback`, which must be its default in the OpenAPI document. */
export const numberOf = (value: OperationInput["query"][string], fallback: number): number =>
  typeof value === "number" ? value : fallback;

/** Maps each sort order in the OpenAPI document to its statement and its sort column. The first order is the default. */
export type Sorts = Readonly<Record<string, readonly [statement: StatementName, column: SortColumn]>>;

type List = {
  readonly sorts: Sorts;
  readonly filters?: Parameters<TenantStore["all"]>[1];
  /** The statement that counts the items of all pages. */
  readonly count?: StatementName;
};

/** Reads the page that the query parameters `sort`, `limit` and `cursor` select. */
export function readPage(
  tenant: TenantStore,
  query: OperationInput["query"],
  { sorts, filters = {}, count }: List,
) {
  const limit = numberOf(query.limit, 50);
  const cursor = stringOf(query.cursor);
  const orders = new Map(Object.entries(sorts));
  const order = orders.get(stringOf(query.sort) ?? "") ?? [...orders.values()][0];
  if (!order) throw new Error("`sorts` must have at least one sort order");
  const [statement, column] = order;
  const rows = tenant.all(statement, { ...filters, ...afterCursor(cursor), limit: limit + 1 });
  const page = toPage(rows, limit, column);
  return { ...page, ...(count && { totalCount: totalOf(page, cursor, () => tenant.get(count, filters)) }) };
}
