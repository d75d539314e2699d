/**
 * Every SQL statement of the platform, by name. Each statement in `statements` reads and writes only rows of `:tenant`. The store
 * binds `:tenant` to the tenant of the verified caller. A test runs all these statements with two tenants. `unscoped` contains
 * the statements that run before the tenant is known, or for all tenants.
 */
import { directory } from "./statements/directory.ts";
import { identity } from "./statements/identity.ts";
import { inbox } from "./statements/inbox.ts";
import { insights } from "./statements/insights.ts";
import { messaging } from "./statements/messaging.ts";

export { unscoped } from "./statements/identity.ts";

export const statements = { ...identity, ...inbox, ...directory, ...messaging, ...insights } as const;

export type StatementName = keyof typeof statements;
