/**
 * API keys from a file (`KEYS_FILE`), for a gateway without key introspection. `restbound key` creates a key and appends its
 * line; deleting the line revokes the key within a second. If a changed file has a mistake, the keys of the last valid version
 * stay in use, and the log and a metric report the mistake.
 */
import { hash, timingSafeEqual } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { isKeyOf } from "../runtime/http/api-key.ts";
import type { TenantContext } from "../runtime/http/context-headers.ts";
import type { Config } from "../runtime/settings/config.ts";
import { type KeyLine, parseKeyLines, readKeyText } from "../runtime/settings/key-lines.ts";
import { WatchedFile } from "../runtime/settings/watched-file.ts";

type Key = { readonly digest: Buffer; readonly expiresAt: number; readonly context: TenantContext };

export class KeyFile {
  readonly #environment: Config["env"]["API_ENVIRONMENT"];
  /** The context objects are created once per version of the file, because the gateway caches headers by context object. */
  readonly #file: WatchedFile<ReadonlyMap<string, Key>>;

  /** Throws `ConfigError` with the file's mistakes. */
  constructor(
    path: string,
    { API_ENVIRONMENT }: Pick<Config["env"], "API_ENVIRONMENT">,
    log: FastifyBaseLogger,
  ) {
    this.#environment = API_ENVIRONMENT;
    this.#file = new WatchedFile({
      read: () => readKeyText(path),
      parse: (text) => keysOf(parseKeyLines(path, text)),
      onApplied: () => log.warn("KEYS_FILE: the changed file is applied"),
      onFailure: ({ message }) =>
        log.error(
          { faults: message.split("\n") },
          "KEYS_FILE: the change is not applied, and revokes nothing",
        ),
    });
    if (this.#file.failure) throw this.#file.failure;
  }

  /** Whether the file cannot be read or has mistakes, so that the last valid version is in use. */
  get isFailing(): boolean {
    return this.#file.failure !== undefined;
  }

  /** Returns `undefined` if the key is not in the file, has expired, or belongs to another environment (`API_ENVIRONMENT`). */
  find(key: string): TenantContext | undefined {
    const keys = this.#file.value;
    if (!isKeyOf(this.#environment, key)) return undefined;
    const digest = hash("sha256", key, "buffer");
    const found = keys.get(indexOf(digest));
    const isFound = found !== undefined && timingSafeEqual(found.digest, digest);
    return isFound && Date.now() < found.expiresAt ? found.context : undefined;
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

/** The scopes of a key are also its permissions, because the file has no roles that could limit the permissions. */
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

/** Finds a key by the first eight bytes of its digest. `timingSafeEqual` then compares the whole digest. */
const indexOf = (digest: Buffer): string => digest.toString("hex", 0, 8);
