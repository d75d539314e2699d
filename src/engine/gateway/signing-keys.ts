/**
 * The issuer's public keys (JWK Set, RFC 7517 §5), from a URL or a file. The last set is used for up to `keptMs` while reads
 * fail, so a short outage of the issuer has no effect. An unknown `kid` triggers a read, but at most one per `unknownKid`
 * milliseconds, because any client can invent a `kid`. Does not follow redirects. Never uses keys that a token contains or refers
 * to (`jwk`, `jku`, `x5u`).
 */
import type { FastifyBaseLogger } from "fastify";
import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
} from "jose";
import { CodedError, FailureReason } from "../runtime/coded-error.ts";
import { causeCode } from "../runtime/observe/request-record.ts";
import { spreadPool } from "../runtime/rest/upstream/spread-pool.ts";
import { upstreamConnector } from "../runtime/rest/upstream/upstream-connector.ts";
import type { Environment } from "../runtime/settings/environment.ts";
import { isRecord, parsedJson } from "../shared/json-object.ts";
import { readRegularFile } from "../shared/regular-file.ts";

const maxBytes = 65_536;
const timeoutMs = 5_000;
/** The last set is used for this many milliseconds while reads fail. */
export const keptMs = 3_600_000;
/**
 * Milliseconds between two reads: normally, after a failure, and for an unknown `kid`. The pauses for a file are shorter, because
 * a file costs little to read.
 */
const pauses = {
  url: { usual: 300_000, failed: 5_000, unknownKid: 30_000 },
  file: { usual: 1_000, failed: 1_000, unknownKid: 1_000 },
};

export class SigningKeys {
  readonly #read: () => Promise<string>;
  readonly #pauses: (typeof pauses)["url"];
  readonly #log: FastifyBaseLogger;
  readonly close: () => Promise<void>;
  /** Number of failed reads since the process started. */
  failures = 0;
  /** Increases with each change of the set. */
  version = 0;
  #text: string | undefined;
  #keys: ReturnType<typeof createLocalJWKSet> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #failure: unknown;
  #reading: Promise<void> | undefined;

  constructor(location: URL | string, env: Environment, log: FastifyBaseLogger) {
    const { read, close } = location instanceof URL ? ofUrl(location, env) : ofFile(location);
    this.#read = read;
    this.close = close;
    this.#pauses = pauses[location instanceof URL ? "url" : "file"];
    this.#log = log;
  }

  /** Seconds since the set was last read, or since the process started. */
  get ageSeconds(): number {
    return (performance.now() - Math.max(this.#readAt, 0)) / 1_000;
  }

  /** Reads the set in the background if a read is due. */
  refreshIfDue(): void {
    const { usual, failed } = this.#pauses;
    if (this.#isTriedBefore(this.#failure === undefined ? usual : failed)) this.#refresh();
  }

  /** Returns a token's signing key. Throws SERVICE_UNAVAILABLE without a usable set, or an error of `jose` for an unknown key. */
  async find(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> {
    this.refreshIfDue();
    if (!this.#usable) await this.#reading;
    const before = this.#usable;
    if (!before) throw this.#unavailable();
    try {
      return await before(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    if (this.#isTriedBefore(this.#pauses.unknownKid)) this.#refresh();
    await this.#reading;
    const after = this.#usable;
    if (!after || this.#failure !== undefined) throw this.#unavailable(); // the key may be new and not read yet
    return after(header, token);
  }

  get #usable() {
    return performance.now() - this.#readAt < keptMs ? this.#keys : undefined;
  }

  #isTriedBefore(ms: number): boolean {
    return this.#reading === undefined && performance.now() - this.#triedAt >= ms;
  }

  #refresh(): void {
    this.#triedAt = performance.now();
    this.#reading = this.#readSet().finally(() => {
      this.#reading = undefined;
    });
  }

  async #readSet(): Promise<void> {
    const at = performance.now();
    try {
      const text = await this.#read();
      if (text !== this.#text) {
        this.#keys = parseKeys(text);
        this.#text = text;
        this.version++;
      }
      this.#readAt = at;
      if (this.#failure !== undefined) this.#log.warn("TOKEN_JWKS: the signing keys are read again");
      this.#failure = undefined;
    } catch (error) {
      this.failures++;
      if (this.#failure === undefined)
        this.#log.warn(
          { cause: causeCode(error) },
          "TOKEN_JWKS: the signing keys cannot be read; the last ones are used for an hour",
        );
      this.#failure = error;
    }
  }

  #unavailable(): CodedError {
    const details = { retryAfter: 1 };
    return new CodedError("SERVICE_UNAVAILABLE", "access tokens cannot be verified at the moment", details, {
      cause: this.#failure,
    });
  }
}

function parseKeys(text: string) {
  const set = parsedJson(text);
  if (!isRecord(set) || !Array.isArray(set.keys) || !set.keys.every(isRecord))
    throw new FailureReason("answered no JWK Set");
  return createLocalJWKSet({ keys: set.keys });
}

function ofUrl(url: URL, env: Environment) {
  const pool = spreadPool(url.origin, { connect: upstreamConnector(env), maxResponseSize: maxBytes });
  const headers = { accept: "application/jwk-set+json, application/json", "accept-encoding": "identity" };
  const read = async (): Promise<string> => {
    const path = url.pathname + url.search;
    const signal = AbortSignal.timeout(timeoutMs);
    const { statusCode, body } = await pool.request({ path, method: "GET", headers, signal });
    if (statusCode === 200) return body.text();
    await body.dump();
    throw new FailureReason(`answered ${statusCode}`);
  };
  return { read, close: () => pool.destroy() };
}

const ofFile = (file: string) => ({
  read: async () => readRegularFile(file, maxBytes),
  close: async () => {},
});
