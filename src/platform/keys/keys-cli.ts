/**
 * `npm run keys -- create|list|revoke`: manages the API keys in the platform's `DATA_FILE`. Only `create` prints the secret,
 * which is stored nowhere. `create --email` also creates a missing tenant and user, such as the first ones of a production store.
 */
import { didYouMean } from "graphql/jsutils/didYouMean.js";
import { suggestionList } from "graphql/jsutils/suggestionList.js";
import { type Config, ConfigError, readConfig } from "restbound";
import {
  acceptedMs,
  CommandRefusal,
  expiryForms,
  type Io,
  nonEmpty,
  processIo,
  readExpiry,
  redisCause,
  runCommand,
} from "restbound/role";
import { type ContractOperation, loadContract, permissionsOf } from "../contract.ts";
import { strings } from "../store/row.ts";
import { openStore, type Store, type TenantStore } from "../store/store.ts";
import { createKey } from "./keys.ts";
import { covers } from "./permissions.ts";
import { publishRevocations, revokeKey } from "./revocations.ts";

type CreateOptions = {
  readonly tenant: string;
  readonly user: string;
  readonly scopes: string;
  readonly expires?: string;
  readonly email?: string;
};

const description = "Creates, lists and revokes API keys of the platform whose DATA_FILE is set.";

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("npm run keys", argv, io, (line, does) => {
    line.description(description);
    const tenant = ["--tenant <id>", "tenant of the key", nonEmpty] as const;
    line
      .command("create")
      .description("creates a key and prints it once, with its id")
      .requiredOption(...tenant)
      .requiredOption("--user <id>", "user that the key acts for", nonEmpty)
      .option("--scopes <list>", "area:resource:action,… with * for any part", "*")
      .option("--expires <when>", expiryForms)
      .option("--email <address>", "creates the tenant and the user (as its owner) if they do not exist")
      .action(does((given: CreateOptions) => onStore(io, given.tenant, (...at) => create(given, io, ...at))));
    line
      .command("list")
      .description("prints the keys of a tenant, without the secrets")
      .requiredOption(...tenant)
      .action(does((given: { tenant: string }) => onStore(io, given.tenant, (store) => list(store, io))));
    line
      .command("revoke")
      .description("revokes a key")
      .requiredOption(...tenant)
      .requiredOption("--key <id>", "id of the key", nonEmpty)
      .action(
        does(({ tenant, key }: { tenant: string; key: string }) =>
          onStore(io, tenant, (...at) => revoke(key, io, ...at)),
        ),
      );
  });

type KeyAction = (tenant: TenantStore, store: Store, config: Config) => void | Promise<void>;

/** Opens the store, runs one action on it, and closes it. */
async function onStore({ env }: Io, tenantId: string, action: KeyAction): Promise<number> {
  const config = readConfig(env, ["platform"]);
  if (config.env.DATA_FILE === undefined)
    throw new ConfigError(["DATA_FILE: is required; keys in memory would be lost at once"]);
  const store = openStore(config.env.DATA_FILE);
  try {
    await action(store.tenant(tenantId), store, config);
  } finally {
    store.close();
  }
  return 0;
}

async function create(
  given: CreateOptions,
  io: Io,
  ...[tenant, store, config]: Parameters<KeyAction>
): Promise<void> {
  const userId = given.user;
  const operations = await loadContract();
  const scopes = readScopes(given.scopes, permissionsOf(operations));
  const expiresAt = given.expires === undefined ? null : readExpiry(given.expires, new Date());
  const environment = config.env.API_ENVIRONMENT;
  const created = store.transaction(() => {
    if (given.email) makeOwner(tenant, userId, given.email);
    const user = tenant.get("userById", { id: userId });
    if (!user)
      throw new CommandRefusal(`no user ${userId} in tenant ${tenant.tenantId}; --email ADDRESS makes one`);
    const getMe = operations.find(({ id }) => id === "getMe");
    checkOwner(getMe, { id: user.id, email: user.email, tenantId: tenant.tenantId });
    return createKey(tenant, { environment, userId, scopes, expiresAt }, new Date());
  });
  io.out(`${created.id}  ${created.secret}`);
  io.error("Keep the key now: only its digest is stored.");
  if (environment === "test")
    io.error("It is a test key: a gateway or platform with API_ENVIRONMENT=live refuses it.");
}

function makeOwner(tenant: TenantStore, id: string, email: string): void {
  if (!tenant.get("tenantExists")) {
    tenant.run("insertTenant", { name: tenant.tenantId, features: "[]", demo: 0 });
    tenant.run("insertRole", { name: "owner", permissions: '["*"]' });
  }
  if (tenant.get("userById", { id })) return;
  tenant.run("insertUser", { id, email, roles: JSON.stringify(["owner"]), teams: "[]" });
}

function list(tenant: TenantStore, io: Io): void {
  for (const { id, userId, scopes, createdAt, expiresAt, revokedAt } of tenant.all("keys")) {
    const end = revokedAt ? `revoked ${revokedAt}` : expiresAt ? `expires ${expiresAt}` : "no expiry";
    io.out([id, userId, strings(scopes).join(","), `created ${createdAt}`, end].join("  "));
  }
}

async function revoke(id: string, io: Io, ...[tenant, store, { env }]: Parameters<KeyAction>): Promise<void> {
  if (!revokeKey(store, tenant, id, new Date()))
    throw new CommandRefusal(`no key ${id} to revoke in tenant ${tenant.tenantId}`);
  io.out(`revoked ${id}`);
  const { cached, whileStale, unconfirmed } = acceptedMs(env);
  const within = (ms: number): string => `within ${Math.ceil(ms / 1_000)} s`;
  const ifUnpublished =
    whileStale > cached
      ? `${within(cached)}, or ${within(whileStale)} if key introspection fails`
      : within(cached);
  if (!env.REDIS_URL) {
    io.error(`Gateways with this environment's settings refuse it ${ifUnpublished}.`);
    return;
  }
  try {
    await publishRevocations(store, env.REDIS_URL);
    io.error(`Gateways refuse it now; one that cannot read Redis does ${within(unconfirmed)}.`);
  } catch (error) {
    io.error(`REDIS_URL: the revocation is not published yet (${redisCause(error as Error)}).`);
    io.error(
      `The platform publishes it as soon as Redis takes it; if not, gateways refuse it ${ifUnpublished}.`,
    );
  }
}

if (import.meta.main) process.exitCode = await run(process.argv.slice(2), processIo);

/** Reads scopes: `area:resource:action`, comma-separated, `*` for any part. `declared`: the contract's permissions. */
function readScopes(given: string, declared: readonly string[]): string[] {
  const scopes = given.split(",");
  const wrong = scopes.find((scope) => !declared.some((permission) => covers(scope, permission)));
  if (wrong === undefined) return scopes;
  const near = didYouMean(suggestionList(wrong, declared));
  const shape = "area:resource:action, with * for any part";
  throw new CommandRefusal(`--scopes: "${wrong}" matches no permission (${shape}).${near}`);
}

const optionOf = new Map([
  ["/id", "--user"],
  ["/email", "--email"],
  ["/tenantId", "--tenant"],
]);

/** Throws if the owner of a new key has a profile that does not match the response schema of `getMe`. */
function checkOwner(
  getMe: ContractOperation | undefined,
  owner: { id: unknown; email: unknown; tenantId: string },
): void {
  const [fault] = getMe?.responseFaults({ ...owner, roles: [], permissions: [], features: [] }) ?? [];
  if (fault) throw new CommandRefusal(`${optionOf.get(fault.place) ?? fault.place}: ${fault.message}`);
}
