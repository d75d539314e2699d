/**
 * The three demo tenants with their users, roles and keys. Anyone can read the demo keys in this file, so demo data is only
 * created in the test environment. In production, every demo key is rejected, even if the data file contains it.
 */
import type { Config } from "restbound";
import { formatApiKey } from "restbound/role";
import { keyRules } from "../keys/authenticate.ts";
import { createKey, findCaller } from "../keys/keys.ts";
import { openStore, type Store, type TenantStore } from "../store/store.ts";
import { fillTenant } from "./data.ts";
import { createRandom } from "./random.ts";

type DemoUser = { id: string; email: string; roles: string[]; teams: string[] };
type DemoTenant = { id: string; name: string; domain: string; features: string[]; users: DemoUser[] };

const tenants: readonly DemoTenant[] = [
  {
    id: "ten_harbor",
    name: "Harbor Outdoor",
    domain: "harbor.example",
    features: ["whatsapp", "flows", "billing"],
    users: [
      {
        id: "usr_harbor_olivia",
        email: "olivia@harbor.example",
        roles: ["owner"],
        teams: ["support", "sales"],
      },
      { id: "usr_harbor_noah", email: "noah@harbor.example", roles: ["analyst"], teams: ["insights"] },
    ],
  },
  {
    id: "ten_lumen",
    name: "Lumen Clinics",
    domain: "lumen.example",
    features: ["whatsapp", "billing"],
    users: [{ id: "usr_lumen_amara", email: "amara@lumen.example", roles: ["owner"], teams: ["reception"] }],
  },
  {
    id: "ten_pine",
    name: "Pine Street Books",
    domain: "pinestreet.example",
    features: ["whatsapp", "flows"],
    users: [{ id: "usr_pine_jonas", email: "jonas@pinestreet.example", roles: ["owner"], teams: ["shop"] }],
  },
];

const rolePermissions = {
  owner: ["*"],
  analyst: ["inbox:*:read", "ai:*:read", "insights:*:read"],
};

/** The random part of a demo key is replaced by its owner's name, which shows that the key is not secret. */
const demoBody = (owner: string): string => `Demo${owner}`.padEnd(26, "0");

/** For each demo key: the tenant, the user, the owner's name as it appears in the key, and a description. */
const keyOwners = [
  ["ten_harbor", "usr_harbor_olivia", "HarborOlivia", "owner, every permission"],
  ["ten_harbor", "usr_harbor_noah", "HarborNoah", "analyst, without CRM and sending"],
  ["ten_lumen", "usr_lumen_amara", "LumenAmara", "owner of another tenant"],
  ["ten_pine", "usr_pine_jonas", "PineJonas", "owner of a third tenant"],
] as const;

type DemoKey = { key: string; tenant: string; user: string; note: string };

export const demoKeys: readonly DemoKey[] = keyOwners.map(([tenant, user, owner, note]) => ({
  key: formatApiKey("test", demoBody(owner)),
  tenant,
  user,
  note,
}));

export const hasDemoData = ({ production, env }: Config): boolean =>
  !production && env.API_ENVIRONMENT === "test";

/** The demo keys that work with this configuration; an empty list if the data file has other tenants. */
export function workingDemoKeys(config: Config): readonly DemoKey[] {
  if (!hasDemoData(config)) return [];
  if (config.env.DATA_FILE === undefined) return demoKeys;
  const store = openStore(config.env.DATA_FILE);
  const rules = keyRules(config, []);
  const working = demoKeys.filter(({ key }) => findCaller(store, rules, key, new Date()));
  store.close();
  return working;
}

/** Fills an empty store in one transaction; leaves a store with a tenant unchanged. The latest data is from `now`. */
export function seedDemoData(store: Store, now: Date): void {
  store.transaction(() => {
    if (store.unscoped("anyTenant")?.found === 1) return;
    for (const [index, tenant] of tenants.entries()) {
      const tenantStore = store.tenant(tenant.id);
      insertIdentity(tenantStore, tenant);
      insertKeys(tenantStore, now);
      fillTenant(tenantStore, createRandom(index + 1), tenant.domain, now);
    }
  });
}

function insertIdentity(store: TenantStore, tenant: DemoTenant): void {
  store.run("insertTenant", { name: tenant.name, features: JSON.stringify(tenant.features), demo: 1 });
  for (const [name, permissions] of Object.entries(rolePermissions)) {
    store.run("insertRole", { name, permissions: JSON.stringify(permissions) });
  }
  for (const { id, email, roles, teams } of tenant.users) {
    store.run("insertUser", { id, email, roles: JSON.stringify(roles), teams: JSON.stringify(teams) });
  }
}

function insertKeys(store: TenantStore, now: Date): void {
  for (const [, userId, owner] of keyOwners.filter(([tenant]) => tenant === store.tenantId)) {
    const key = { userId, scopes: ["*"], expiresAt: null, random: demoBody(owner) };
    createKey(store, { environment: "test", ...key }, now);
  }
}
