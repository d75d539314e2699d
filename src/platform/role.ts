/** Defines the role `platform` for the engine, with its demo keys, example requests and dashboard. */
import type { Config } from "restbound";
import type { Samples } from "restbound/role";
import type { Platform } from "restbound/server";
import { hasDashboard, serveDashboard } from "./demo/dashboard.ts";
import { workingDemoKeys } from "./demo/demo.ts";
import { introspectionPath } from "./keys/introspection.ts";
import { createPlatform } from "./platform.ts";

export const platform: Platform = {
  create: createPlatform,
  keyIntrospection: introspectionPath,
  samples: samplesOf,
  addPages: (front, config) => {
    if (hasDashboard(config)) serveDashboard(front, samplesOf(config));
  },
  welcome: (config, origin) => [
    ...(hasDashboard(config) ? [`dashboard: ${origin}/ in a browser`] : []),
    ...demoLines(config, origin),
  ],
};

/** A demo key and variables that prefill the explorer and the dashboard; empty if no demo key works, as in production. */
function samplesOf(config: Config): Samples {
  const [demo] = workingDemoKeys(config);
  return demo ? { key: demo.key, variables: demoVariables(new Date()) } : {};
}

function demoLines(config: Config, origin: string): string[] {
  const working = workingDemoKeys(config);
  if (working.length === 0) return [];
  const keys = working.map(({ key, tenant, user, note }) => `  ${key}  ${tenant}, ${user}: ${note}`);
  const key = working[0]?.key ?? "";
  const call =
    config.roles.has("graphql") && config.env.OPERATIONS === "all"
      ? `${origin}/v1/graphql -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify({ query: demoQuery })}'`
      : `${origin}${demoPath} -H 'X-API-Key: ${key}'`;
  return ["", "demo keys:", ...keys, "", "try:", `  curl -s ${call}`];
}

/** The example requests that are printed at the start: a GraphQL query, and a REST path. */
const demoQuery =
  "{ me { email tenantId roles } contacts { name } conversations { status contact { name } } }";
const demoPath = "/v1/identity/me";

/** Variables for the saved operations that select data of the first demo tenant. `now`: the time of the latest data. */
function demoVariables(now: Date): Readonly<Record<string, object>> {
  const dayBefore = (days: number): string =>
    new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);
  const range = { from: dayBefore(29), to: dayBefore(0) };
  return {
    StartPage: { ...range, q: "han" },
    Dashboard: range,
    WeeklyReport: { from: dayBefore(6), to: dayBefore(0) },
    FindCustomers: { q: "han" },
    Customer: { id: "ctc_asZYf21VZHMb" },
    Messages: { conversationId: "cnv_7lRic2nKp3OZ" },
    Answer: { channel: "whatsapp", to: "+12035550119", body: "Your order is on its way." },
  };
}
