/**
 * The lines of `KEYS_FILE`. A line contains the SHA-256 digest of a key, never the key itself:
 *
 *     sha256=<64 hex digits> tenant=acme name=dashboard scopes=incidents:read,incidents:write expires=2027-01-31T23:59:59.999Z
 */
import { readRegularFile } from "../../shared/regular-file.ts";
import { ConfigError } from "./config.ts";

const maxBytes = 4_194_304;

/** One key of `KEYS_FILE`. Keys with the same tenant and name count as one caller, for example in rate limits. */
export type KeyLine = {
  readonly digest: string;
  readonly tenant: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** When the key expires: RFC 3339 in UTC, with milliseconds. */
  readonly expires?: string | undefined;
};

/** The members of a line, with the format of each value. `scopes` and `expires` are optional. */
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

/** Returns an error message if the value does not have the format of the member. */
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
  parseKeyLines(path, readKeyText(path));

export function readKeyText(path: string): string {
  try {
    return readRegularFile(path, maxBytes);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError([
      `KEYS_FILE: ${path}: ${code === undefined ? message : `cannot be read (${code})`}`,
    ]);
  }
}

export function parseKeyLines(path: string, text: string): ReadonlyMap<number, KeyLine> {
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

/** Returns the parsed line, or an error message. The message contains no value of the line, because a value may be a key. */
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
  const digest = given.get("sha256");
  const tenant = given.get("tenant");
  const name = given.get("name");
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
