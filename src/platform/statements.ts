/**
 * Every SQL statement of the platform, by name: nothing else holds SQL that runs after start-up. Each one of
 * `statements` is scoped by `:tenant`, which the store binds from the verified context; a test runs them all with
 * two tenants. `unscoped` holds the two that must run before a tenant is known.
 */
import { directory } from "./statements/directory.ts";
import { identity } from "./statements/identity.ts";
import { inbox } from "./statements/inbox.ts";
import { insights } from "./statements/insights.ts";
import { messaging } from "./statements/messaging.ts";

export { unscoped } from "./statements/identity.ts";

export const statements = { ...identity, ...inbox, ...directory, ...messaging, ...insights } as const;

export type StatementName = keyof typeof statements;
