/**
 * API keys from a file (`KEYS_FILE`), for a gateway without key introspection. `restbound key` creates a key and appends its line.
 * The file is read again within a second, so a key is revoked by deleting its line. A changed file with a mistake is not applied:
 * the keys of the last valid version stay in use, and the log and a metric report the mistake.
 */
import { hash, timingSafeEqual } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { isKeyOf } from "../runtime/http/api-key.ts";
import type { TenantContext } from "../runtime/http/context-headers.ts";
import { type Config, ConfigError } from "../runtime/settings/config.ts";
import { type KeyLine, parseKeyLines, readKeyText } from "../runtime/settings/key-lines.ts";

const rereadMs = 1_000;
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
    this.#text = readKeyText(path);
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
      const text = readKeyText(this.#path);
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
