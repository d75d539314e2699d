/** `npm start -- --check-config`: the configuration in force, a variable a line, with secrets blanked. */
import type { Config } from "../config.ts";
import type { ManifestPlace } from "../manifests/places.ts";
import { variables } from "../settings/environment.ts";

/** The value of a variable with such a name is never printed, unless it is a number. */
const secretName = /SECRET|PASSWORD|CREDENTIAL|_TOKEN$|_KEY$/;

/** `environment` tells a default from a value that was set. */
export function printConfig({ roles, env, upstreams }: Config, environment: NodeJS.ProcessEnv): string {
  const known = Object.keys(variables) as (keyof typeof variables)[];
  const rows = [
    ...known.map(
      (name) => [name, name === "OPERATIONS_FROM" ? env[name].map(entry).join() : env[name]] as const,
    ),
    ...[...upstreams].map(([tag, url]) => [`REST_BASE_URL_${tag}`, url] as const),
  ];
  const lines = rows.map(
    ([name, value]) =>
      `${name}=${shown(name, value)}${origin(value, environment[name] ?? environment[`${name}_FILE`])}`,
  );
  return [`roles: ${[...roles].join(", ")}`, ...lines].join("\n");
}

/** As it is written, but for a URL's query, which may be a secret. */
const entry = ({ app, at }: ManifestPlace): string =>
  `${app === undefined ? "" : `${app}=`}${at.replace(/\?.*/s, "?(secret)")}`;

function shown(name: string, value: unknown): string {
  if (value === undefined) return "";
  const text = String(value);
  if (secretName.test(name) && typeof value !== "number") return "(secret)";
  const url = URL.parse(text);
  if (!url?.password && !url?.search) return text;
  if (url.password) url.password = "(secret)";
  if (url.search) url.search = "(secret)"; // `redis://…?password=…`
  return url.href;
}

function origin(value: unknown, given: string | undefined): string {
  if (given) return "";
  return value === undefined ? "  (not set)" : "  (default)";
}
