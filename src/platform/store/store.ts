/**
 * The SQLite store. The store prepares each named statement once. Only the store binds `:tenant`, so a `TenantStore` can access
 * only rows of its tenant. All methods are synchronous, like those of `node:sqlite`.
 */
import { closeSync, openSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { ConfigError } from "restbound";
import { type StatementName, statements, unscoped } from "./statements.ts";
import { tables } from "./tables.ts";

export type Row = Record<string, SQLOutputValue>;
type Values = Record<string, SQLInputValue>;

export type TenantStore = {
  readonly tenantId: string;
  all(name: StatementName, values?: Values): Row[];
  get(name: StatementName, values?: Values): Row | undefined;
  /** Returns the number of changed rows. */
  run(name: StatementName, values?: Values): number;
};

export type Store = {
  tenant(tenantId: string): TenantStore;
  /** Runs a statement that does not belong to one tenant, such as the lookup of a key. */
  unscoped(name: keyof typeof unscoped, values?: Values): Row | undefined;
  transaction<T>(work: () => T): T;
  close(): void;
};

/** Opens `file`, or a database in memory. Throws `ConfigError` for a file that is not a database or not writable. */
export function openStore(file: string | undefined): Store {
  const database = openDatabase(file);
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  return {
    tenant: (tenantId) => ({
      tenantId,
      all: (name, values) => prepare(statements[name]).all({ ...values, tenant: tenantId }),
      get: (name, values) => prepare(statements[name]).get({ ...values, tenant: tenantId }),
      run: (name, values) => Number(prepare(statements[name]).run({ ...values, tenant: tenantId }).changes),
    }),
    unscoped: (name, values) => prepare(unscoped[name]).get({ ...values }),
    transaction: (work) => transaction(database, work),
    close: () => database.close(),
  };
}

function openDatabase(file: string | undefined): DatabaseSync {
  try {
    // creates the file so that only the current user can access it; SQLite gives its `-wal` and `-shm` files the same permissions
    if (file !== undefined) closeSync(openSync(file, "a", 0o600));
    const database = new DatabaseSync(file ?? ":memory:", { timeout: 5_000 });
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    database.exec(tables);
    return database;
  } catch (error) {
    throw new ConfigError([`DATA_FILE: cannot be opened as a SQLite file (${(error as Error).message})`]);
  }
}

function transaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
