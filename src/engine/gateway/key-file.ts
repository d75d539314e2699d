/**
 * API keys from a file (`KEYS_FILE`), for a gateway without key introspection. `restbound key` creates a key and appends its
 * line, which has the key's SHA-256 digest, never the key:
 *
 *     sha256=<64 hex digits> tenant=acme name=dashboard scopes=incidents:read,incidents:write expires=2027-01-31T23:59:59.999Z
 *
 * The file is read again within a second, so a key is revoked by deleting its line. A changed file with a mistake is not applied:
 * the keys of the last valid version stay in use, and the log and a metric report the mistake.
 */
import { hash, timingSafeEqual } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { isKeyOf } from "../runtime/http/api-key.ts";
import type { TenantContext } from "../runtime/http/context-headers.ts";
import { type Config, ConfigError } from "../runtime/settings/config.ts";
import { readRegularFile } from "../shared/regular-file.ts";

const rereadMs = 1_000;
const maxBytes = 4_194_304;

/**
 * The values of a line. The caller of a key is its tenant and name, so two keys with the same tenant and name count as one
 * caller, also for rate limits.
 */
export type KeyLine = {
  readonly digest: string;
  readonly tenant: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** When the key expires: RFC 3339 in UTC, with milliseconds. */
  readonly expires?: string | undefined;
};

/** The members of a line, each with the format of its value. `scopes` and `expires` may be absent. */
const members = {
  sha256: { pattern: /^[0-9a-f]{64}$/, expected: "64 hex digits in lower case, the SHA-256 digest of a key" },
  tenant: { pattern: /^\w[\w.@~-]{0,127}$/, expected: 'letters, digits, ".", "_", "-", "@" and "~"' },
  name: { pattern: /^\w[\w.@~-]{0,127}$/, expected: 'letters, digits, ".", "_", "-", "@" and "~"' },
  // scope-tokens (RFC 6749 §3.3) without commas, which separate the scopes
  scopes: {
    pattern: /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+(?:,[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+)*$/,
    expected: "scopes (RFC 6749 §3.3), comma-separated",
  },
  expires: { pattern: /^.*$/, expected: "a time in UTC such as 2027-01-31T23:59:59.999Z" },
} as const;
type Member = keyof typeof members;

/** Returns why a value is not valid for its member; `undefined` if it is valid. */
export function memberFault(member: Member, value: string): string | undefined {
  const { pattern, expected } = members[member];
  const fits = pattern.test(value) && (member !== "expires" || isTime(value));
  return fits ? undefined : `${member} must be ${expected}`;
}

function isTime(text: string): boolean {
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString() === text;
}

export const formatKeyLine = ({ digest, tenant, name, scopes, expires }: KeyLine): string =>
  [
    `sha256=${digest}`,
    `tenant=${tenant}`,
    `name=${name}`,
    ...(scopes.length > 0 ? [`scopes=${scopes.join(",")}`] : []),
    ...(expires === undefined ? [] : [`expires=${expires}`]),
  ].join(" ");

/** Returns the keys in a file by line number. Blank lines and lines that begin with `#` are skipped. Throws `ConfigError`. */
export const readKeyLines = (path: string): ReadonlyMap<number, KeyLine> =>
  parseKeyLines(path, readText(path));

function readText(path: string): string {
  try {
    return readRegularFile(path, maxBytes);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError([
      `KEYS_FILE: ${path}: ${code === undefined ? message : `cannot be read (${code})`}`,
    ]);
  }
}

function parseKeyLines(path: string, text: string): ReadonlyMap<number, KeyLine> {
  const lines = new Map<number, KeyLine>();
  const numbers = new Map<string, number>();
  const faults: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const number = index + 1;
    const read = parseKeyLine(line);
    const other = typeof read === "string" ? undefined : numbers.get(read.digest);
    const fault =
      typeof read === "string" ? read : other && `has the same key as line ${other}; remove one of them`;
    if (fault !== undefined) faults.push(`KEYS_FILE: ${path}:${number}: ${fault}`);
    if (typeof read === "string") continue;
    lines.set(number, read);
    numbers.set(read.digest, number);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return lines;
}

/**
 * Returns the parsed line, or its fault as a string, which contains none of the line's values, because one of them may be a key.
 */
function parseKeyLine(line: string): KeyLine | string {
  const given = new Map<string, string>();
  for (const part of line.trim().split(/\s+/)) {
    const [, member = "", value = ""] = /^([a-z0-9]+)=(.*)$/s.exec(part) ?? [];
    if (!Object.hasOwn(members, member))
      return `needs members such as sha256=… tenant=… name=… (${Object.keys(members).join(", ")}); restbound key writes a line`;
    if (given.has(member)) return `has ${member} twice`;
    const fault = memberFault(member as Member, value);
    if (fault !== undefined) return fault;
    given.set(member, value);
  }
  const [digest, tenant, name] = ["sha256", "tenant", "name"].map((member) => given.get(member));
  if (digest === undefined || tenant === undefined || name === undefined)
    return "needs sha256, tenant and name; restbound key writes a line";
  return {
    digest,
    tenant,
    name,
    scopes: given.get("scopes")?.split(",") ?? [],
    expires: given.get("expires"),
  };
}

type Key = { readonly digest: Buffer; readonly expiresAt: number; readonly context: TenantContext };

export class KeyFile {
  readonly #path: string;
  readonly #environment: Config["env"]["API_ENVIRONMENT"];
  readonly #log: FastifyBaseLogger;
  /** The text that is applied, and its keys. The same text gives the same contexts, whose headers the gateway caches. */
  #text: string;
  #keys: ReadonlyMap<string, Key>;
  #readAt = performance.now();
  /** The mistakes in the file, if its current version is not applied because of them. */
  #faults: string | undefined;

  /** Throws `ConfigError` with the file's mistakes. */
  constructor(
    path: string,
    { API_ENVIRONMENT }: Pick<Config["env"], "API_ENVIRONMENT">,
    log: FastifyBaseLogger,
  ) {
    this.#path = path;
    this.#environment = API_ENVIRONMENT;
    this.#log = log;
    this.#text = readText(path);
    this.#keys = keysOf(parseKeyLines(path, this.#text));
  }

  /** Whether the file has mistakes or cannot be read, so that the keys of its last valid version stay in use. */
  get isFailing(): boolean {
    this.#refreshIfDue();
    return this.#faults !== undefined;
  }

  /**
   * Returns the context of a key; `undefined` if the key is not in the file, has expired, or belongs to the other environment.
   */
  find(key: string): TenantContext | undefined {
    this.#refreshIfDue();
    if (!isKeyOf(this.#environment, key)) return undefined;
    const digest = hash("sha256", key, "buffer");
    const found = this.#keys.get(indexOf(digest));
    const isFound = found !== undefined && timingSafeEqual(found.digest, digest);
    return isFound && Date.now() < found.expiresAt ? found.context : undefined;
  }

  /**
   * Reads the file synchronously, before the key of the current request is checked, so that no key is accepted more than a second
   * after its revocation.
   */
  #refreshIfDue(): void {
    const now = performance.now();
    if (now - this.#readAt < rereadMs) return;
    this.#readAt = now;
    try {
      const text = readText(this.#path);
      if (text !== this.#text) this.#keys = keysOf(parseKeyLines(this.#path, text));
      this.#text = text;
      if (this.#faults !== undefined) this.#log.warn("KEYS_FILE: the file is valid again, and applied");
      this.#faults = undefined;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const { message } = error;
      if (this.#faults !== message)
        this.#log.error(
          { faults: message.split("\n") },
          "KEYS_FILE: the change is not applied, and revokes nothing",
        );
      this.#faults = message;
    }
  }
}

const keysOf = (lines: ReadonlyMap<number, KeyLine>): ReadonlyMap<string, Key> =>
  new Map(
    [...lines.values()].map((line) => {
      const digest = Buffer.from(line.digest, "hex");
      const expiresAt = line.expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(line.expires);
      return [indexOf(digest), { digest, expiresAt, context: contextOf(line) }];
    }),
  );

/** The scopes are also the permissions, because the file has no roles that would limit them. */
const contextOf = ({ tenant, name, scopes }: KeyLine): TenantContext => ({
  tenantId: tenant,
  userId: name,
  apiKeyId: `${tenant}/${name}`,
  roles: [],
  permissions: scopes,
  features: [],
  keyScopes: scopes,
  teams: [],
});

/** The first eight bytes of a digest, for finding a key. `timingSafeEqual` then compares the whole digest. */
const indexOf = (digest: Buffer): string => digest.toString("hex", 0, 8);
