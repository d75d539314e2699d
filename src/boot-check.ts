/**
 * What stops a start: a role's missing need, and, in production, settings that are handy on a desk and a hole on the
 * internet. Each finding is one line that names the variable and says how to mend it.
 */
import { operations } from "../generated/operations.ts";
import type { Config } from "./config.ts";

/** The products that GraphQL fields call, as `REST_BASE_URL_<TAG>` spells them. */
export const products: ReadonlySet<string> = new Set(Object.values(operations).map(({ product }) => product));

/** Returns one line per variable that the roles need and do not have. */
export function findMissing({ roles, env }: Config): string[] {
  if (roles.has("platform")) return [];
  const needs = { REST_BASE_URL: true, KEY_INTROSPECTION_URL: roles.has("gateway") };
  const who = [...roles].join(" and ");
  const missing = (["REST_BASE_URL", "KEY_INTROSPECTION_URL"] as const).filter(
    (name) => needs[name] && !env[name],
  );
  return missing.map(
    (name) => `${name}: ${who} without platform needs it; set it to an http:// or https:// URL`,
  );
}

/** Returns one line per unsafe setting; none outside production. */
export function findUnsafe(config: Config): string[] {
  if (!config.production) return [];
  const lines: string[] = [];
  if (config.env.CORS_ORIGINS.includes("*")) {
    lines.push("CORS_ORIGINS: `*` lets any site call in production; list the dashboards' origins instead");
  }
  const plain = config.env.CORS_ORIGINS.filter((origin) => origin.startsWith("http://"));
  for (const origin of plain)
    lines.push(`CORS_ORIGINS: ${origin} is not safe in production; use its https:// origin`);
  if (config.env.LOG_LEVEL === "debug") {
    lines.push("LOG_LEVEL: `debug` tells too much in production; use info, warn or error");
  }
  return lines;
}

/** Returns one line per setting that starts but hardly does what was meant. */
export const findDoubtful = (config: Config): string[] => [
  ...findOpenGateway(config),
  ...findUnknownProducts(config),
];

function findOpenGateway({ roles, env }: Config): string[] {
  const isAlone = roles.has("gateway") && !roles.has("platform");
  if (!isAlone || env.GATEWAY_SECRET !== undefined) return [];
  return [
    "GATEWAY_SECRET: is not set, so services behind this gateway cannot tell it from anybody; set the same one there",
  ];
}

function findUnknownProducts({ roles, upstreams }: Config): string[] {
  if (!roles.has("graphql")) return [];
  const names = [...products].sort().map((product) => `REST_BASE_URL_${product}`);
  const unknown = [...upstreams.keys()].filter((tag) => !products.has(tag));
  return unknown.map(
    (tag) =>
      `REST_BASE_URL_${tag}: is not used, for no GraphQL field calls such a product; there are ${names.join(", ")}`,
  );
}
