/** The command line of `npm start`. Reads the configuration, starts the roles and prints where they listen. */
import { accessSync, closeSync, constants, existsSync, openSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { type Config, ConfigError, readConfig, roleNames } from "../runtime/settings/config.ts";
import { variables } from "../runtime/settings/environment.ts";
import { type Io, runCommand } from "../shared/cli/command.ts";
import { isHttpUrl, type ManifestLocation } from "../shared/manifests/manifest-locations.ts";
import { Manifests } from "../shared/manifests/manifests.ts";
import { own } from "../shared/own.ts";
import { shownUrl } from "../shared/shown-url.ts";
import {
  assertFresh,
  assertStartable,
  findMisspelledVariables,
  findSmallYoungGeneration,
  findSuspectSettings,
  findUnnamedRoles,
} from "./check-config.ts";
import { stopOnSignals } from "./graceful-shutdown.ts";
import { createProcessLogger, startupMessage } from "./process-logger.ts";
import { listenError, start } from "./program.ts";
import type { Service } from "./service.ts";
import { handleUnhandledRejections } from "./unhandled-rejections.ts";
import { watchUpstreams } from "./watch-upstreams.ts";

type Options = { readonly brief?: boolean; readonly checkConfig?: boolean };

/** Resolves with 0 when the roles run. They run until a signal stops them. Any other exit code means that no role runs. */
export function run(argv: readonly string[], given: Io, service: Service): Promise<number> {
  const textLogger = createProcessLogger(service.name, given, false);
  // a misspelt NODE_ENV is probably meant to be `production`, so log JSON
  const isText = /^(?:development|test)?$/.test(given.env.NODE_ENV ?? "");
  let logger = isText ? textLogger : createProcessLogger(service.name, given, true);
  const io = { ...given, out: textLogger.info, error: (line: string) => logger.fatal(line) };
  return runCommand("npm start", argv, io, (line, does) =>
    line
      .description("Runs the roles until a signal stops them: all in one process, or the named ones.")
      .argument("[role...]", `${roleNames.join(", ")}; without one, all of them`)
      .option("--check-config", "prints the configuration in force, without secrets, and starts nothing")
      .option("--brief", "prints one line when the roles listen: no demo keys, no example")
      .addHelpText("after", environmentHelp())
      .action(
        does(async (roles: readonly string[], { brief, checkConfig }: Options) => {
          if (checkConfig) logger = textLogger;
          const config = readConfig(io.env, roles, service.platform !== undefined);
          const api = await service.api();
          const { operations, specHash } = api;
          assertStartable(config, api);
          assertFresh(service.root, specHash);
          const warnings = [
            ...findSmallYoungGeneration(
              process.constrainedMemory(),
              `${process.execArgv} ${io.env.NODE_OPTIONS}`,
            ),
            ...findUnnamedRoles(io.env, roles),
            ...findMisspelledVariables(io.env),
            ...findSuspectSettings(config, operations),
          ];
          if (checkConfig) {
            for (const warning of [...warnings, ...(await checkMachine(config))]) logger.warn(warning);
            io.out(printConfig(config, io.env));
            return 0;
          }
          const running = await start(config, service);
          for (const warning of warnings) logger.warn(warning); // after the start, so that a failed start prints only its error
          const { url, metrics, servers } = running;
          const [front] = servers;
          if (front) handleUnhandledRejections(front.log);
          stopOnSignals(running, config);
          await watchUpstreams(front, config, operations, logger);
          const isBrief = brief === true || config.production;
          const text = await startupMessage(config, service, running, {
            unready: front?.unready ?? [],
            brief: isBrief,
          });
          logger.info(text, { url: url.origin, metrics: metrics?.origin });
          return 0;
        }),
      ),
  );
}

const mostUsed = [
  "PORT",
  "HOST",
  "METRICS_PORT",
  "NODE_ENV",
  "LOG_LEVEL",
  "CORS_ORIGINS",
  "DATA_FILE",
  "REST_BASE_URL",
  "GRAPHQL_URL",
  "KEY_INTROSPECTION_URL",
  "KEYS_FILE",
  "GATEWAY_SECRET",
] as readonly (keyof typeof variables)[];

const environmentHelp = (): string =>
  [
    "",
    "The most used environment variables (docs/reference/variables.md lists all of them):",
    ...mostUsed.map((name) => `  ${name.padEnd(22)} ${(variables[name].desc ?? "").replaceAll("`", "")}`),
  ].join("\n");

// The checks of `--check-config` on this machine: the address, the data folder, the manifests.

/** Throws `ConfigError` if a start would fail. Returns one line per manifest that a start would ignore. */
async function checkMachine({ roles, env }: Config): Promise<readonly string[]> {
  await checkHost(env.HOST);
  if (roles.has("platform") && env.DATA_FILE !== undefined) checkDataFile(env.DATA_FILE);
  if (!roles.has("graphql")) return [];
  const { faults } = await new Manifests(env.OPERATIONS_FROM).refresh();
  return faults.map(({ source, reason }) => `OPERATIONS_FROM: ${source} cannot be read (${reason})`);
}

/** Checks whether a server can listen on the host. Uses a free port instead of `PORT`, which a running service may be using. */
function checkHost(host: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const server = createServer();
  server.once("error", (error) => reject(listenError(error, host, 0, "PORT")));
  server.listen({ host, port: 0 }, () => server.close(() => resolve()));
  return promise;
}

function checkDataFile(file: string): void {
  try {
    if (existsSync(file)) closeSync(openSync(file, "r+"));
    else accessSync(dirname(file), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new ConfigError([`DATA_FILE: cannot be opened as a SQLite file (${(error as Error).message})`]);
  }
}

// Prints the effective configuration for `npm start -- --check-config`: one variable per line, without secrets.

/** Matches names of variables that may contain secrets. Of their values, only numbers are printed. */
const secretName = /SECRET|PASSWORD|CREDENTIAL(?!S_DIRECTORY$)|_TOKEN$|_KEY$/;

/** Marks values that are not in `environment` as defaults. */
function printConfig({ roles, env, upstreams }: Config, environment: NodeJS.ProcessEnv): string {
  const names = Object.keys(variables) as (keyof typeof variables)[];
  const rows = [
    ...names.map(
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
  `${app === undefined ? "" : `${app}=`}${isHttpUrl(at) ? redactedUrl(at) : at}`;

/** Replaces the user, password, query and fragment of a URL by `(secret)`. */
function redactedUrl(given: string): string {
  const { username = "", password = "", search = "", hash = "" } = URL.parse(given) ?? {};
  const [scheme, rest] = shownUrl(given).split("://");
  const user = username + password === "" ? "" : "(secret)@";
  return `${scheme}://${user}${rest}${search && "?(secret)"}${hash && "#(secret)"}`;
}

function shown(name: string, value: unknown): string {
  if (value === undefined) return "";
  const text = String(value);
  if (secretName.test(name) && typeof value !== "number") return "(secret)";
  return value instanceof URL ? redactedUrl(text) : text;
}

function origin(value: unknown, given: string | undefined): string {
  if (given) return "";
  return value === undefined ? "  (not set)" : "  (default)";
}
