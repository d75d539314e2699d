/** `npm start -- --check-config`: the configuration in force, a variable a line, with secrets blanked. */
import type { Config } from "../runtime/settings/config.ts";
import { variables } from "../runtime/settings/environment.ts";
import { isHttpUrl, type ManifestLocation } from "../shared/manifests/manifest-locations.ts";
import { own } from "../shared/own.ts";
import { shownUrl } from "../shared/shown-url.ts";

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
      `${name}=${shown(name, value)}${origin(value, own(environment, name) ?? own(environment, `${name}_FILE`))}`,
  );
  return [`roles: ${[...roles].join(", ")}`, ...lines].join("\n");
}

const entry = ({ app, at }: ManifestLocation): string =>
  `${app === undefined ? "" : `${app}=`}${isHttpUrl(at) ? blanked(at) : at}`;

/** A URL that says where something secret is left out. */
function blanked(given: string): string {
  const { username = "", password = "", search = "", hash = "" } = URL.parse(given) ?? {};
  const [scheme, rest] = shownUrl(given).split("://");
  const user = username + password === "" ? "" : "(secret)@";
  return `${scheme}://${user}${rest}${search && "?(secret)"}${hash && "#(secret)"}`;
}

function shown(name: string, value: unknown): string {
  if (value === undefined) return "";
  const text = String(value);
  if (secretName.test(name) && typeof value !== "number") return "(secret)";
  return value instanceof URL ? blanked(text) : text;
}

function origin(value: unknown, given: string | undefined): string {
  if (given) return "";
  return value === undefined ? "  (not set)" : "  (default)";
}
