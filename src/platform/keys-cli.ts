/**
 * `npm run keys -- create|list|revoke`: API keys of the platform whose `DATA_FILE` is set. The secret is printed once,
 * on `create`; nothing else ever prints or stores it. With `--email`, `create` first makes a tenant and a user that
 * do not exist yet, which is how an empty production store gets its first owner.
 */
import { parseArgs } from "node:util";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { loadContract, permissionsOf } from "./contract.ts";
import { checkOwner, Refused, readExpiry, readScopes } from "./key-options.ts";
import { createKey } from "./keys.ts";
import { strings } from "./row.ts";
import { openStore, type Store, type TenantStore } from "./store.ts";

export type Io = { out(line: string): void; error(line: string): void; env: NodeJS.ProcessEnv };

const usage = [
  "keys create --tenant ID --user ID [--scopes area:resource:action,…] [--expires 2027-01-31|90d] [--email ADDRESS]",
  "keys list   --tenant ID",
  "keys revoke --tenant ID --key ID",
];

const options = {
  tenant: { type: "string" },
  user: { type: "string" },
  key: { type: "string" },
  scopes: { type: "string" },
  expires: { type: "string" },
  email: { type: "string" },
} as const;

type Values = { [Name in keyof typeof options]?: string };
type Command = (
  store: Store,
  tenant: TenantStore,
  values: Values,
  config: Config,
  io: Io,
) => void | Promise<void>;

/** A command line that makes no sense; shown with the usage. */
class Misused extends Error {}

/** Exit code: 0 done, 1 refused, 2 used wrongly. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    const { command, values } = readArguments(argv);
    const config = readConfig(io.env, ["platform"]);
    if (config.env.DATA_FILE === undefined)
      throw new Refused("DATA_FILE: is needed, keys in memory are gone at once");
    const store = openStore(config.env.DATA_FILE);
    try {
      await command(store, store.tenant(needed(values, "tenant")), values, config, io);
    } finally {
      store.close();
    }
    return 0;
  } catch (error) {
    if (error instanceof ConfigError) for (const line of error.lines) io.error(line);
    else if (error instanceof Refused) io.error(error.message);
    else if (error instanceof Misused) for (const line of [error.message, ...usage]) io.error(line);
    else throw error;
    return error instanceof Misused ? 2 : 1;
  }
}

function readArguments(argv: readonly string[]): { command: Command; values: Values } {
  const { positionals, values } = parse(argv);
  const command = commands[positionals[0] ?? ""];
  if (!command || positionals.length !== 1) throw new Misused("wants one of create, list, revoke");
  return { command, values };
}

function parse(argv: readonly string[]): { positionals: string[]; values: Values } {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw new Misused((error as Error).message);
  }
}

function needed(values: Values, name: keyof Values): string {
  const value = values[name];
  if (!value) throw new Misused(`wants --${name}`);
  return value;
}

const create: Command = async (store, tenant, values, config, io) => {
  const userId = needed(values, "user");
  const operations = await loadContract();
  const scopes = readScopes(values.scopes ?? "*", permissionsOf(operations));
  const expiresAt = values.expires === undefined ? null : readExpiry(values.expires, new Date());
  const environment = config.env.API_ENVIRONMENT;
  const made = store.transaction(() => {
    if (values.email) makeOwner(tenant, userId, values.email);
    const user = tenant.get("userById", { id: userId });
    if (!user) throw new Refused(`no user ${userId} in tenant ${tenant.tenantId}; --email ADDRESS makes one`);
    const getMe = operations.find(({ id }) => id === "getMe");
    checkOwner(getMe, { id: user.id, email: user.email, tenantId: tenant.tenantId });
    return createKey(tenant, { environment, userId, scopes, expiresAt }, new Date());
  });
  io.out(`${made.id}  ${made.secret}`);
  io.error("Keep the key now: only its digest is stored.");
};

function makeOwner(tenant: TenantStore, id: string, email: string): void {
  if (!tenant.get("tenantExists")) {
    tenant.run("insertTenant", { name: tenant.tenantId, features: "[]", demo: 0 });
    tenant.run("insertRole", { name: "owner", permissions: '["*"]' });
  }
  if (tenant.get("userById", { id })) return;
  tenant.run("insertUser", { id, email, roles: JSON.stringify(["owner"]), teams: "[]" });
}

const list: Command = (_store, tenant, _values, _config, io) => {
  for (const { id, userId, scopes, createdAt, expiresAt, revokedAt } of tenant.all("keys")) {
    const end = revokedAt ? `revoked ${revokedAt}` : expiresAt ? `expires ${expiresAt}` : "no expiry";
    io.out([id, userId, strings(scopes).join(","), `created ${createdAt}`, end].join("  "));
  }
};

const revoke: Command = (_store, tenant, values, _config, io) => {
  const id = needed(values, "key");
  const changed = tenant.run("revokeKey", { id, now: new Date().toISOString() });
  if (changed === 0) throw new Refused(`no key ${id} to revoke in tenant ${tenant.tenantId}`);
  io.out(`revoked ${id}`);
};

const commands: Readonly<Record<string, Command>> = { create, list, revoke };

if (import.meta.main) {
  const io: Io = { out: console.log, error: console.error, env: process.env };
  process.exitCode = await run(process.argv.slice(2), io);
}
