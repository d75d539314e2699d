/**
 * Converts the environment and the command-line arguments to one frozen, validated object, so that no role reads `process.env`.
 * Throws a `ConfigError` with a line for each invalid variable.
 */
import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { customCleanEnv } from "envalid";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { didYouMean } from "../../shared/cli/nearest-suggestion.ts";
import { own } from "../../shared/own.ts";
import { readRegularFile } from "../../shared/regular-file.ts";
import { type Environment, secrets, variables } from "./environment.ts";
import { readSecret, SecretFiles } from "./secret-files.ts";
import { parseHttpUrl } from "./validators.ts";

export const roleNames = ["gateway", "graphql", "platform"] as const;
export type Role = (typeof roleNames)[number];

/** Each line of the message names one variable. */
export class ConfigError extends UsageError {}

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
];

/** Settings for exporting to an OpenTelemetry collector. `files`: the collector's CA, the client certificate and its key. */
export type OtlpSettings = Readonly<{
  build: string;
  files: Readonly<Record<"ca" | "cert" | "key", string | undefined>>;
}>;
/** `ratio` is the argument of a sampler that traces a part of the requests. */
export type TraceSettings = OtlpSettings & Readonly<{ sampler: string; ratio: number }>;
export type MetricSettings = OtlpSettings & Readonly<{ intervalMs: number; timeoutMs: number }>;

export type Config = Readonly<{
  roles: ReadonlySet<Role>;
  production: boolean;
  env: Environment;
  /** The URLs in the variables `REST_BASE_URL_<TAG>`, by `<TAG>`, the product's tag in upper case. */
  upstreams: ReadonlyMap<string, URL>;
  /** The watched files of the secrets in `env`. */
  secretFiles: SecretFiles;
  /** Undefined if traces are off. */
  traces: TraceSettings | undefined;
  /** Undefined if metrics are not sent to a collector. */
  metrics: MetricSettings | undefined;
}>;

/**
 * Reads the environment, and the roles from the command line. Without arguments, all roles run. If the program has no `platform`
 * role, only `graphql` runs by default. Throws a `ConfigError` with one line per invalid variable or unknown role.
 */
export function readConfig(
  environment: NodeJS.ProcessEnv,
  args: readonly string[],
  hasPlatform = true,
): Config {
  const lines: string[] = [];
  const given = withSecretFiles(withoutEmpty(environment), lines);
  // without NODE_ENV, envalid would use the production defaults
  const env = customCleanEnv(
    { NODE_ENV: "development", ...given },
    variables,
    (cleaned: Environment) => cleaned,
    {
      reporter: ({ errors }) => {
        for (const [name, error] of Object.entries(errors)) lines.push(`${name}: ${plain(error?.message)}`);
      },
    },
  );
  const upstreams = new Map<string, URL>();
  for (const [name, value] of Object.entries(withoutEmpty(environment))) {
    const tag = /^REST_BASE_URL_(.+)$/.exec(name)?.[1];
    if (!tag) continue;
    try {
      upstreams.set(tag, parseHttpUrl(value));
    } catch (error) {
      lines.push(`${name}: ${(error as Error).message}`);
    }
  }
  const traces = readTraces(given, env.BUILD, lines);
  const metrics = readMetrics(given, env.BUILD, lines);
  const tlsFiles = ["NODE_EXTRA_CA_CERTS", "UPSTREAM_CA_FILE", "UPSTREAM_CERT_FILE", "UPSTREAM_KEY_FILE"];
  // Node silently ignores an unreadable NODE_EXTRA_CA_CERTS, and would then reject the certificates of internal services
  const [, ca, cert, key] = tlsFiles.map((name) => readFile(name, own(given, name), lines));
  checkCertificate({ ca, cert, key }, lines);
  const validRoles = roleNames.filter((role) => hasPlatform || role !== "platform");
  const unknown = args.filter((arg) => !validRoles.includes(arg as Role));
  for (const arg of unknown)
    lines.push(`unknown role "${arg}": the roles are ${validRoles.join(", ")}${didYouMean(arg, validRoles)}`);
  if (lines.length > 0) throw new ConfigError(lines);
  const roles = new Set((args.length > 0 ? args : hasPlatform ? roleNames : ["graphql"]) as readonly Role[]);
  const secretFiles = new SecretFiles();
  return Object.freeze({
    roles,
    production: env.NODE_ENV === "production",
    env: withLiveSecrets(env, environment, secretFiles),
    secretFiles,
    upstreams,
    traces,
    metrics,
  });
}

/** Rewrites envalid's messages about choices and booleans. */
const plain = (message = ""): string =>
  message
    .replace(/^Invalid bool input: .*$/s, "must be on or off")
    .replace(
      /^Value ".*" not in choices \[(.+)\]$/s,
      (_, choices: string) => `must be one of ${choices.replaceAll(",", ", ")}`,
    );

type Given = Readonly<Record<string, string>>;

/** Reads OpenTelemetry's standard variables for traces. Traces are enabled by an endpoint or by the exporter `otlp`. */
function readTraces(given: Given, build: string, lines: string[]): TraceSettings | undefined {
  const files = readSignal(given, "TRACES", ["OTEL_EXPORTER_OTLP_ENDPOINT"], lines);
  if (!files) return undefined;
  const { OTEL_TRACES_SAMPLER: sampler = "parentbased_always_on" } = given;
  if (!samplers.includes(sampler)) lines.push(`OTEL_TRACES_SAMPLER: must be one of ${samplers.join(", ")}`);
  const ratio = Number(given.OTEL_TRACES_SAMPLER_ARG ?? 1);
  if (!(ratio >= 0 && ratio <= 1)) lines.push("OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1");
  return { build, files, sampler, ratio };
}

/** The exporter `otlp`, or an endpoint for metrics, enables metrics. The general endpoint does not: it may accept only traces. */
function readMetrics(given: Given, build: string, lines: string[]): MetricSettings | undefined {
  const files = readSignal(given, "METRICS", [], lines);
  if (!files) return undefined;
  const preference = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE";
  if (!/^cumulative$/i.test(own(given, preference) ?? "cumulative"))
    lines.push(`${preference}: must be cumulative`);
  const interval = readMs(given, "OTEL_METRIC_EXPORT_INTERVAL", 60_000, lines);
  const timeout = readMs(given, "OTEL_METRIC_EXPORT_TIMEOUT", 30_000, lines);
  return { build, files, intervalMs: interval, timeoutMs: Math.min(timeout, interval) };
}

function readMs(given: Given, name: string, absent: number, lines: string[]): number {
  const ms = Number(own(given, name) ?? absent);
  if (!(Number.isInteger(ms) && ms > 0 && ms < 2 ** 31)) lines.push(`${name}: must be milliseconds, above 0`);
  return ms;
}

/**
 * Returns the TLS files for the connection to the collector; `undefined` if the signal is not exported. `endpoints`: variables
 * that enable the signal, besides the variable for its own endpoint.
 */
function readSignal(
  given: Given,
  signal: "TRACES" | "METRICS",
  endpoints: readonly string[],
  lines: string[],
): OtlpSettings["files"] | undefined {
  const exporter = own(given, `OTEL_${signal}_EXPORTER`);
  const isEnabled = [`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, ...endpoints].some((name) => own(given, name));
  if (given.OTEL_SDK_DISABLED?.toLowerCase() === "true" || exporter === "none") return undefined;
  if (!isEnabled && exporter === undefined) return undefined;
  if (exporter !== undefined && exporter !== "otlp")
    lines.push(`OTEL_${signal}_EXPORTER: must be otlp or none`);
  const path = `/v1/${signal.toLowerCase()}`;
  if (new RegExp(`${path}/?$`).test(given.OTEL_EXPORTER_OTLP_ENDPOINT ?? ""))
    lines.push(
      `OTEL_EXPORTER_OTLP_ENDPOINT: must be the collector's base URL, because ${path} is appended; for a complete URL, use OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`,
    );
  const protocol = own(given, `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) ?? given.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol === "grpc")
    lines.push(
      "OTEL_EXPORTER_OTLP_PROTOCOL: must be http/json; collectors accept it on the port of http/protobuf",
    );
  const fileOf = (name: string): string | undefined =>
    own(given, `OTEL_EXPORTER_OTLP_${signal}_${name}`) ?? own(given, `OTEL_EXPORTER_OTLP_${name}`);
  return {
    ca: fileOf("CERTIFICATE"),
    cert: fileOf("CLIENT_CERTIFICATE"),
    key: fileOf("CLIENT_KEY"),
  };
}

function readFile(
  name: string,
  file: string | undefined,
  lines: string[],
  read: (path: string) => string = readRegularFile,
): string | undefined {
  try {
    return file === undefined ? undefined : read(file);
  } catch (error) {
    lines.push(`${name}: the file cannot be read (${reasonOf(error)})`);
    return undefined;
  }
}

function checkCertificate(given: Record<"ca" | "cert" | "key", string | undefined>, lines: string[]): void {
  if ((given.cert === undefined) !== (given.key === undefined)) {
    lines.push("UPSTREAM_CERT_FILE: requires UPSTREAM_KEY_FILE, and vice versa");
    return;
  }
  try {
    createSecureContext({ cert: given.cert, key: given.key });
  } catch (error) {
    lines.push(
      `UPSTREAM_CERT_FILE, UPSTREAM_KEY_FILE: are not a matching certificate and key (${reasonOf(error)})`,
    );
  }
  try {
    if (given.ca !== undefined) new X509Certificate(given.ca); // createSecureContext would ignore an invalid certificate
  } catch (error) {
    lines.push(`UPSTREAM_CA_FILE: does not contain a PEM certificate (${reasonOf(error)})`);
  }
}

const reasonOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error as Error).message;

/** Turns each secret that is in a file into a getter, which returns the file's current value. */
function withLiveSecrets(env: Environment, environment: NodeJS.ProcessEnv, files: SecretFiles): Environment {
  const given = withoutEmpty(environment);
  const live = secrets.flatMap((name): [string, PropertyDescriptor][] => {
    const path = own(given, `${name}_FILE`);
    if (path === undefined) return [];
    const parse = (text: string): unknown => variables[name]._parse(text);
    return [[name, { enumerable: true, get: files.follow<unknown>(name, path, parse) }]];
  });
  return withProperties(env, Object.fromEntries(live));
}

/**
 * Returns a frozen copy with changes. Property descriptors are copied, because a spread would freeze the current value of a
 * secret that follows its file.
 */
export const withProperties = (env: Environment, changes: PropertyDescriptorMap): Environment =>
  Object.freeze(
    Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(env), ...changes }),
  ) as Environment;

/** Adds the secrets in the files whose paths are in the variables `<name>_FILE`. Containers mount secrets as files. */
function withSecretFiles(given: Record<string, string>, lines: string[]): Record<string, string> {
  const read = { ...given };
  for (const name of secrets) {
    const file = given[`${name}_FILE`];
    if (file === undefined) continue;
    if (given[name] !== undefined) lines.push(`${name}_FILE: ${name} is set too; set one of them`);
    const text = readFile(`${name}_FILE`, file, lines, readSecret);
    if (text !== undefined) read[name] = text;
  }
  return read;
}

/** An empty variable counts as unset, as in shells and compose files. */
function withoutEmpty(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value ? [[name, value] as const] : [])),
  );
}
