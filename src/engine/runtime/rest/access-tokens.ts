/**
 * Obtains access tokens by the client credentials grant (RFC 6749 §4.4). Concurrent calls share one token request, and later
 * calls reuse the token until shortly before it expires.
 */
import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { Agent, request } from "undici";
import { membersOf, parsedJson } from "../../shared/json-object.ts";
import type { TokenEndpoint } from "../../shared/operation.ts";
import { CodedError, FailureReason } from "../coded-error.ts";
import { heldFiles } from "../settings/capacity.ts";
import type { Config } from "../settings/config.ts";
import { upstreamConnector } from "./upstream/upstream-connector.ts";

/** Assumed lifetime of a token if the token response has no `expires_in` (RFC 6749 §5.1). */
const usualSeconds = 300;
/** Tokens are replaced this many seconds before they expire. If they last under ten minutes: at 90 %. */
const marginSeconds = 60;
/** Pause after a failed token request, because some servers lock out clients that retry immediately. */
const pauseMs = 5_000;
/** If REST refuses a token younger than this, it is not renewed: REST would refuse a new one too. */
const leastAgeMs = 10_000;
const mostBytes = 65_536;

/** `#text` is private, so that logging the object does not print the token. */
export class AccessToken {
  readonly #text: string;
  readonly #isRenewable: () => boolean;
  readonly #forget: () => void;

  constructor(text: string, isRenewable: () => boolean, forget: () => void) {
    this.#text = text;
    this.#isRenewable = isRenewable;
    this.#forget = forget;
  }

  get text(): string {
    return this.#text;
  }

  /** Whether REST may accept a new token after refusing this one. */
  get isRenewable(): boolean {
    return this.#isRenewable();
  }

  /** Makes the next call request a new token, unless another call has already replaced this one. */
  renew(): void {
    if (this.isRenewable) this.#forget();
  }
}

type Entry = { readonly token: Promise<AccessToken>; until: number };

export class AccessTokens {
  readonly #agent: Agent;
  readonly #timeoutMs: number;
  readonly #entries = new LRUCache<string, Entry>({ max: heldFiles });

  constructor({ env }: Pick<Config, "env">) {
    this.#timeoutMs = env.CALL_TIMEOUT_MS;
    this.#agent = new Agent({ connect: upstreamConnector(env), connections: 4, maxResponseSize: mostBytes });
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  /** `client` is `id:secret`. Rejects with a `CodedError`. */
  of(endpoint: TokenEndpoint, client: string): Promise<AccessToken> {
    const key = hash("sha256", JSON.stringify([endpoint, client]));
    const cached = this.#entries.get(key);
    if (cached && performance.now() < cached.until) return cached.token;
    const entry: Entry = { token: this.#obtain(endpoint, client, key), until: Number.POSITIVE_INFINITY };
    this.#entries.set(key, entry);
    entry.token.catch(() => {
      entry.until = performance.now() + pauseMs;
    });
    return entry.token;
  }

  async #obtain(endpoint: TokenEndpoint, client: string, key: string): Promise<AccessToken> {
    const { text, seconds } = await this.#request(endpoint, client);
    const obtainedAt = performance.now();
    const entry = this.#entries.peek(key);
    const isCurrent = (): boolean => this.#entries.peek(key) === entry;
    if (entry) entry.until = obtainedAt + (seconds - Math.min(marginSeconds, seconds / 10)) * 1_000;
    return new AccessToken(
      text,
      () => !isCurrent() || performance.now() - obtainedAt > leastAgeMs,
      () => void (isCurrent() && this.#entries.delete(key)),
    );
  }

  /** Errors must not quote the response, because it may repeat the client secret. */
  async #request({ url, scope, inBody }: TokenEndpoint, client: string) {
    const colon = client.indexOf(":");
    const id = client.slice(0, colon);
    const secret = client.slice(colon + 1);
    const form = new URLSearchParams({ grant_type: "client_credentials" });
    if (scope !== undefined) form.set("scope", scope);
    if (inBody) form.set("client_id", id);
    if (inBody) form.set("client_secret", secret);
    try {
      const { statusCode, body } = await request(url, {
        method: "POST",
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(this.#timeoutMs),
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          accept: "application/json",
          ...(!inBody && { authorization: basic(id, secret) }),
        },
        body: form.toString(),
      });
      const text = await body.text();
      if (statusCode !== 200) throw new FailureReason(`TOKEN_REFUSED_${statusCode}`);
      return readToken(text);
    } catch (error) {
      const reason = error instanceof FailureReason ? error : new FailureReason("TOKEN_UNAVAILABLE");
      throw new CodedError("UPSTREAM_UNAVAILABLE", "the server got no access token", {}, { cause: reason });
    }
  }
}

/** The id and the secret are form-encoded (RFC 6749 §2.3.1). */
const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from([id, secret].map(formEncoded).join(":")).toString("base64")}`;

const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);

/** Parses a successful response (RFC 6749 §5.1). */
function readToken(body: string): { text: string; seconds: number } {
  const { access_token: text, token_type: type = "bearer", expires_in: given } = membersOf(parsedJson(body));
  const isBearer = typeof type === "string" && type.toLowerCase() === "bearer";
  if (typeof text !== "string" || !/^[\x21-\x7e]+$/.test(text) || !isBearer)
    throw new FailureReason("TOKEN_MALFORMED");
  const seconds = Number(given ?? usualSeconds);
  return { text, seconds: Number.isFinite(seconds) && seconds > 0 ? seconds : usualSeconds };
}
