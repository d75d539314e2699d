/**
 * Credentials that the server holds for vendors' APIs (`spec/credentials.yaml`). Their values are in files below
 * `CREDENTIALS_DIRECTORY`, which are re-read while they are in use. The values are in private fields, so that logging an object
 * does not reveal them.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { type HeldCredential, type Operation, type Operations, spellingOf } from "../../shared/operation.ts";
import type { Dictionary } from "../../shared/own.ts";
import { readRegularFile } from "../../shared/regular-file.ts";
import { CodedError, FailureReason } from "../coded-error.ts";
import { heldFiles } from "../settings/capacity.ts";
import type { Config } from "../settings/config.ts";
import type { SecretFiles } from "../settings/secret-files.ts";
import type { WatchedFile } from "../settings/watched-file.ts";
import { type AccessToken, AccessTokens } from "./access-tokens.ts";
import { type CallerHeaders, partsOfSecrets } from "./caller-headers.ts";

/** Tenant ids that are safe as a file name and as a parameter: without path separators, dot segments or list separators. */
const tenantName = /^[A-Za-z0-9_][\w.@~-]{0,127}$/;

const mostBytes = 8_192;
const leastCharacters = 8;

/** A credential with its value. `token` is present if the value is an access token from a token endpoint. */
type ResolvedCredential = {
  readonly credential: HeldCredential;
  readonly value: string;
  readonly token?: AccessToken;
};

/** Replaces a credential in texts from the vendor. */
const mask = "(secret)";

export class CallCredentials {
  readonly #credentials: readonly ResolvedCredential[];
  readonly #secrets: readonly Secret[];
  readonly #parts: readonly string[];
  /** A string that identifies the credential files. */
  readonly account: string;
  readonly isOfOneTenant: boolean;

  constructor(placed: readonly ResolvedCredential[], tenant: string) {
    this.account = JSON.stringify(
      placed.map(({ credential: { file, perTenant } }) => (perTenant ? [file, tenant] : [file])),
    );
    this.isOfOneTenant = placed.every(({ credential }) => credential.perTenant);
    this.#credentials = placed;
    const values = placed.flatMap(({ credential, value }) => [value, valueInHeader(credential, value)]);
    const users = placed.flatMap(({ credential, value }) => userThatIsTheKey(credential, value));
    const parts = partsOfSecrets([...values, ...users]);
    this.#parts = parts;
    this.#secrets = parts.toSorted((one, other) => other.length - one.length).map(secretOf);
  }

  /** Strings that must not appear in messages for clients. A getter, so that logging the object does not reveal them. */
  get secrets(): readonly string[] {
    return [...this.#parts, mask];
  }

  /** Adds the header and cookie credentials, replacing headers of the same names. */
  addTo(headers: Dictionary<string>): void {
    const cookies: string[] = [];
    for (const { credential, value } of this.#credentials) {
      if (credential.in === "cookie") cookies.push(`${credential.name}=${value}`);
      if (credential.in !== "header") continue;
      for (const name of Object.keys(headers))
        if (spellingOf(name) === spellingOf(credential.name)) delete headers[name];
      headers[credential.name] = valueInHeader(credential, value);
    }
    if (cookies.length > 0) headers.cookie = cookies.join("; ");
  }

  /** Adds the query credentials to a path. Throws if an argument has set a parameter with such a name. */
  pathOf(path: string): string {
    let whole = path;
    for (const { credential, value } of this.#credentials) {
      if (credential.in !== "query") continue;
      if (hasParameter(path, credential.name))
        throw new CodedError("BAD_USER_INPUT", "an argument sets a parameter that only the server may set");
      whole += `${whole.includes("?") ? "&" : "?"}${encodeURIComponent(credential.name)}=${encodeURIComponent(value)}`;
    }
    return whole;
  }

  /** Whether an access token may have been revoked, so that REST may accept a new one. */
  get isRenewable(): boolean {
    return this.#credentials.some(({ token }) => token?.isRenewable);
  }

  /** Makes the next call request a new access token for each token that is renewable. */
  renew(): void {
    for (const { token } of this.#credentials) token?.renew();
  }

  /** Masks the credentials in a response text. Some vendors repeat the credentials of a request in the link to the next page. */
  masked(text: string): string {
    const isEscaped = escapedAlphanumeric.test(text);
    return this.#secrets.reduce(
      (masked, { run, text: secret }) =>
        isEscaped || masked.includes(run) ? masked.replace(patternOf(secret, isEscaped), mask) : masked,
      text,
    );
  }
}

/** Matches the JSON escape of a letter or a digit (RFC 8259 §7). It is rare: only other characters need escapes. */
const escapedAlphanumeric = /\\u00(?:3\d|[46][1-9a-f]|[57][\da])/i;

/**
 * `run` is the longest sequence of letters and digits in `text`. Only a text with `run` or an `escapedAlphanumeric` can contain
 * the secret, in any spelling.
 */
type Secret = { readonly run: string; readonly text: string };

function secretOf(text: string): Secret {
  const [run = ""] = text.split(/[^A-Za-z0-9]+/).toSorted((one, other) => other.length - one.length);
  return { run, text };
}

/**
 * Matches all spellings of a secret: percent-encoding (RFC 3986 §2.1), JSON escapes (RFC 8259 §7) and numeric character
 * references of HTML, also nested, as in a URL within a URL. Bounded repetitions keep the matching time linear.
 */
function patternOf(secret: string, isEscaped: boolean): RegExp {
  const pattern = secret.replace(isEscaped ? /./gs : /[^A-Za-z0-9]/g, (character) => {
    const decimal = character.charCodeAt(0);
    const code = decimal.toString(16).padStart(2, "0");
    if (/[A-Za-z0-9]/.test(character)) return `(?:${character}|\\\\{1,8}u00${code})`;
    return `(?:\\\\{0,7}\\x${code}|\\\\{1,8}u00${code}|%(?:25){0,3}${code}|&#(?:0{0,4}${decimal}|x0{0,4}${code});)`;
  });
  return new RegExp(pattern, "gi");
}

/** Returns the user name of Basic credentials if it is the secret: some vendors expect the API key there. */
function userThatIsTheKey({ scheme }: HeldCredential, value: string): string[] {
  const colon = value.indexOf(":");
  return scheme === "Basic" && value.length - colon < leastCharacters ? [value.slice(0, colon)] : [];
}

const valueInHeader = ({ scheme }: HeldCredential, value: string): string => {
  if (scheme === "Basic") return `Basic ${Buffer.from(value).toString("base64")}`;
  return scheme === "Bearer" ? `Bearer ${value}` : value;
};

function hasParameter(path: string, name: string): boolean {
  const query = path.includes("?") ? path.slice(path.indexOf("?") + 1) : "";
  return [...new URLSearchParams(query).keys()].some((key) => spellingOf(key) === spellingOf(name));
}

export class HeldCredentials {
  readonly #directory: string;
  readonly #tokens: AccessTokens;
  readonly #secretFiles: SecretFiles;
  readonly #files = new LRUCache<string, WatchedFile<string>>({ max: heldFiles });
  readonly #folders = new Map<string, WatchedFile<ReadonlySet<string>>>();

  constructor({ env, secretFiles }: Pick<Config, "env" | "secretFiles">) {
    this.#directory = env.CREDENTIALS_DIRECTORY;
    this.#tokens = new AccessTokens({ env });
    this.#secretFiles = secretFiles;
  }

  close(): Promise<void> {
    return this.#tokens.close();
  }

  /**
   * Returns the server's credentials for a call of a verified tenant; `undefined` if the operation uses the caller's credentials.
   * Throws a `CodedError`, for example if the caller lacks a permission that `spec/credentials.yaml` requires. Called before the
   * cache is read: cached responses need the permission too.
   */
  async of(
    { held }: Operation,
    { tenant, permissions }: Pick<CallerHeaders, "tenant" | "permissions">,
  ): Promise<CallCredentials | undefined> {
    if (!held) return undefined;
    if (!tenant) throw new CodedError("UNAUTHENTICATED", "only known tenants may call it");
    const { permission } = held;
    if (permission !== undefined && !permissions.has(permission))
      throw new CodedError("FORBIDDEN", `the caller lacks the permission ${permission}`, { permission });
    if (held.tenant && !tenantName.test(tenant))
      throw new CodedError("FORBIDDEN", "the tenant's id cannot be a parameter of it");
    const placed = held.credentials.map(async (credential): Promise<ResolvedCredential> => {
      const value = this.#valueOf(credential, tenant);
      if (!credential.token) return { credential, value };
      const token = await this.#tokens.of(credential.token, value);
      return { credential, value: token.text, token };
    });
    return new CallCredentials(await Promise.all(placed), tenant);
  }

  #valueOf(credential: HeldCredential, tenant: string): string {
    const { file, perTenant, scheme, in: location, token } = credential;
    const path = perTenant ? join(file, tenant) : file;
    const key = JSON.stringify([path, scheme, location, token !== undefined]);
    try {
      if (perTenant && !this.#hasFile(file, tenant)) {
        this.#files.delete(key);
        throw new CodedError("FORBIDDEN", "the tenant has no credential for it");
      }
      const watched = this.#files.get(key) ?? this.#watch(path, credential);
      this.#files.set(key, watched);
      return watched.value;
    } catch (error) {
      if (error instanceof CodedError) throw error;
      // the original error names the file, so it must not be the cause
      throw new CodedError(
        "UPSTREAM_UNAVAILABLE",
        perTenant
          ? "the credential that the server holds for the tenant cannot be used"
          : "the server's credential cannot be read",
        {},
        { cause: new FailureReason("CREDENTIAL_UNREADABLE") },
      );
    }
  }

  #watch(path: string, credential: HeldCredential): WatchedFile<string> {
    return this.#secretFiles.watch(`CREDENTIALS_DIRECTORY: ${path}`, {
      read: () => readRegularFile(join(this.#directory, path), mostBytes),
      parse: (text) => checkedSecret(credential, text),
    });
  }

  /** Compares names exactly: on a case-insensitive file system, a tenant could use another tenant's file. */
  #hasFile(folder: string, tenant: string): boolean {
    if (!tenantName.test(tenant)) return false;
    let tenants = this.#folders.get(folder);
    if (!tenants) {
      const name = `CREDENTIALS_DIRECTORY: ${folder}`;
      tenants = this.#secretFiles.watch<ReadonlySet<string>>(name, {
        read: () => readdirSync(join(this.#directory, folder)).join("/"),
        parse: (names) => new Set(names.split("/").filter((tenant) => tenantName.test(tenant))),
        onApplied: (present, previous = new Set()) => {
          const added = [...present].filter((tenant) => !previous.has(tenant));
          const withdrawn = [...previous].filter((tenant) => !present.has(tenant));
          if (added.length > 0) this.#secretFiles.report(`${name}: tenants added: ${listed(added)}`);
          if (withdrawn.length > 0)
            this.#secretFiles.report(`${name}: tenants withdrawn: ${listed(withdrawn)}`);
        },
      });
      this.#folders.set(folder, tenants);
    }
    return tenants.value.has(tenant);
  }
}

const mostListed = 20;

function listed(tenants: readonly string[]): string {
  const more = tenants.length - mostListed;
  return `${tenants.toSorted().slice(0, mostListed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Returns the validated value of a credential file. Error messages must not contain any part of the value. */
function checkedSecret({ scheme, in: location, token }: HeldCredential, text: string): string {
  const value = text.replace(/\r?\n$/, "");
  if (!/^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(value))
    throw new Error("must have one line of visible ASCII characters");
  if (value.length < leastCharacters) throw new Error(`must have at least ${leastCharacters} characters`);
  if (scheme === "Basic" && !/^[^:]+:/.test(value)) throw new Error("must be user:password");
  if (token && !/^[^:]+:./.test(value)) throw new Error("must be client_id:client_secret");
  if (scheme === "Bearer" && !token && value.includes(" "))
    throw new Error('must be the token alone, without "Bearer"');
  if (location === "cookie" && !/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(value))
    throw new Error("must be the value of a cookie (RFC 6265 §4.1.1)");
  return value;
}

/** Returns one line per invalid credential file. The lines do not quote the content. */
export const findHeldFileFaults = (operations: Operations, directory: string): string[] =>
  credentialsOf(operations).flatMap((credential) => {
    const path = join(directory, credential.file);
    return faultOf(directory, credential.file, () => {
      if (!credential.perTenant) checkedSecret(credential, readRegularFile(path, mostBytes));
      else if (statSync(path).isDirectory()) readdirSync(path);
      else throw new Error("must be a folder with one file per tenant");
    });
  });

/** Returns one line per invalid file of a tenant. It does not prevent the start, because it affects only that tenant. */
export function* findTenantFileFaults(operations: Operations, directory: string): Iterable<string> {
  for (const credential of credentialsOf(operations)) {
    if (!credential.perTenant) continue;
    const folder = join(directory, credential.file);
    for (const tenant of readdirSync(folder))
      if (tenantName.test(tenant))
        yield* faultOf(directory, join(credential.file, tenant), () =>
          checkedSecret(credential, readRegularFile(join(folder, tenant), mostBytes)),
        );
  }
}

function credentialsOf(operations: Operations): HeldCredential[] {
  const all = Object.values(operations).flatMap(({ held }) => held?.credentials ?? []);
  return [...new Map(all.map((credential) => [JSON.stringify(credential), credential])).values()];
}

function faultOf(directory: string, file: string, check: () => void): string[] {
  try {
    check();
    return [];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === undefined ? message : `cannot be read (${code})`;
    return [`CREDENTIALS_DIRECTORY: ${file} in ${directory}, a credential of the server: ${reason}`];
  }
}
