/** What every handler is: a function of the caller's tenant and the validated input, and what it may find missing. */
import { CodedError } from "../errors.ts";
import type { TenantContext } from "../http/context-headers.ts";
import type { Input } from "./contract.ts";
import type { Row, Store, TenantStore } from "./store.ts";

export type HandlerContext = {
  caller: TenantContext;
  /** The only way to data: the rows of the caller's tenant. */
  tenant: TenantStore;
  store: Pick<Store, "transaction">;
};

export type Handler = (context: HandlerContext, input: Input) => unknown;

/** Another tenant's id ends here too: nothing tells it from an id that does not exist. */
export function found(row: Row | undefined, what: string): Row {
  if (!row) throw new CodedError("NOT_FOUND", `no such ${what}`);
  return row;
}

/** A query parameter for SQL: absent is null, a list is JSON. */
export function sqlValue(value: Input["query"][string]): string | number | null {
  if (Array.isArray(value)) return JSON.stringify(value);
  return value === undefined ? null : typeof value === "boolean" ? Number(value) : value;
}

export const textOf = (value: Input["query"][string]): string | undefined =>
  typeof value === "string" ? value : undefined;

/** A number that the contract gives a default; `fallback` repeats it for the compiler only. */
export const numberOf = (value: Input["query"][string], fallback: number): number =>
  typeof value === "number" ? value : fallback;
