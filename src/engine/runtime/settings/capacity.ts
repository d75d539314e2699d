/**
 * Fixed capacities of a process, and default values of environment variables that set capacities. The limits of requests, bodies
 * and responses are in `environment.ts`.
 */
import { getHeapStatistics } from "node:v8";

/**
 * Default of `REST_CONNECTIONS`: connections to one product's REST service. Callers share them fairly (`SharedQuota`), so one
 * caller gets at most 42. The connections of all processes together must not exceed what the service accepts.
 */
export const connectionsPerProduct = 64;

/**
 * Maximum number of running and waiting calls to one product. Further calls are rejected immediately. The maximum suffices for
 * 256 concurrent requests with about 20 calls each. Callers share them fairly (`SharedQuota`).
 */
export const callsPerProduct = 5_000;

/** Maximum number of per-caller circuit breakers kept per product. */
export const failingCallers = 1_000;

/** Maximum number of watched credential files, of access tokens, and of vendor accounts with a rate limit. */
export const heldFiles = 10_000;

/** Maximum number of a vendor's rate limits tracked per credential, and of callers per rate limit. */
export const vendorQuotas = { limits: 64, callers: 10_000 };

/** Maximum connections of a gateway to one upstream. A `graphql` role accepts the same number of concurrent requests. */
export const gatewayConnections = 256;

/**
 * Lifetime of a connection to an upstream in ms. After that, its next request is its last, so a new replica behind a layer-4 load
 * balancer receives its share of requests within twice this time.
 */
export const upstreamConnectionMs = 30_000;

/** Settings for lookups of host names, in ms. */
export const lookups = {
  /** Minimum time between two lookups of a name. Addresses count as fresh for at least this time, whatever their TTL is. */
  leastMs: 1_000,
  /** Maximum time for which addresses count as fresh, whatever their TTL is. The JVM uses the same value. */
  mostMs: 30_000,
  /** How long a connection waits for a lookup before it uses stale addresses. */
  staleAfterMs: 100,
  /** How long stale addresses are used while lookups fail. RFC 8767 §5 suggests at least a day. */
  usableMs: 86_400_000,
};

/**
 * Node option for the size of V8's young generation. Every deployment sets this option. By default, V8 chooses the same size with
 * 2 GiB of memory, but 1 MiB in a container of 512 MiB. A request then takes up to twice the CPU time.
 */
export const youngGeneration = { option: "--max-semi-space-size=32", unneededFromMiB: 2_048 };

/** Maximum number of representations in an `_entities` field. A federation gateway sends a whole list of them at once. */
export const mostRepresentations = 1_000;

/** Memory for request bodies in the gateway, in multiples of `MAX_BODY_BYTES` (1 MiB): a quarter of 512 MiB of memory. */
export const gatewayBodies = 128;

/**
 * Maximum number of cached API keys in a gateway. Active and inactive keys are cached separately, so that invalid keys do not
 * evict valid ones. `active` is the default of `KEY_CACHE_SIZE`. The default number of keys takes a tenth to a quarter of the
 * heap: a key with 8 permissions takes 1.5 kB, one with 40 permissions 4.1 kB (measured).
 */
export const cachedKeys = {
  active: Math.min(Math.max(Math.floor(getHeapStatistics().heap_size_limit / 16_384), 10_000), 100_000),
  inactive: 10_000,
};

/** Maximum number of accepted credentials remembered by a `graphql` role without a gateway: 14 MB (measured). */
export const acceptedCredentials = 100_000;

/**
 * Cache of the `graphql` role: maps the headers that identify a caller to the caller's profile. Headers of more than `characters`
 * are not cached.
 */
export const callerProfiles = { bytes: 33_554_432, bytesOfEach: 1_200, characters: 4_096 };

/**
 * Lookups of API keys. `running` is the default of `KEY_LOOKUPS`. The default is low, because all gateways share the key
 * introspection service. In each rank (`lookup-queue.ts`), up to 64 times `KEY_LOOKUPS` lookups wait, for at most `waitMs`. If a
 * lookup takes 50 ms, the last one waits for 3.2 s.
 */
export const keyLookups = { running: 16, waitingForEach: 64, waitMs: 5_000 };

/**
 * Maximum number of entries in the revocation log. A full log takes about 1 MB, and heartbeats alone fill it in eight hours. A
 * gateway that has missed more entries than this looks up its cached keys again.
 */
export const revocationLog = { entries: 10_000 };

/**
 * Early lookups of cached keys, made while revocations may have been missed. Early lookups use at most `part` of `KEY_LOOKUPS`.
 * `perSecond` protects the key introspection service, which all gateways share.
 */
export const revalidations = { part: 3 / 4, perSecond: 200 };

/**
 * Maximum number of lookups of invalid keys from one address. Lookups are limited, because a lookup costs as much as a valid
 * request. A client that repeats one invalid key causes one lookup in 5 s.
 */
export const badKeys = { perMinute: 600 };

/**
 * Limits for keyless introspection requests, which are accepted outside production: bytes of the body (a full introspection query
 * has 2 kB), and requests per minute from one address.
 */
export const keylessRequests = { bytes: 16_384, perMinute: 300 };

/** Maximum number of addresses or keys that a rate limit counts, so that made-up addresses cannot exhaust the memory. */
export const countedClients = 20_000;

/**
 * Maximum number of values in a JSON body: object members and array items. Parsing this many values takes at most 25 ms. Without
 * this limit, a body of 1 MiB could have 500,000 values.
 */
export const valuesPerRequest = 50_000;

/** Maximum number of values in an MCP message. The SDK validates each value about ten times, so 5,000 values take 25 ms. */
export const valuesPerMessage = 5_000;

/**
 * Maximum bytes of introspection data in a response: `fullQueries` times the result of a full introspection query, but at least
 * `least`. Producing this much data takes 3 ms.
 */
export const introspectedBytes = { fullQueries: 3, least: 150_000 };

/** Limits for request bodies that arrive slowly, on every role. */
export const slowBodies = {
  /** Milliseconds after which an unfinished body counts as slow. */
  slowAfterMs: 1_000,
  /** Maximum number of slow bodies from one address, and with one credential. */
  ofSender: 32,
  /** Milliseconds after which the average rate of a body must reach `minimumRate`. */
  graceMs: 5_000,
  /** Minimum rate in bytes per second. Apache's `RequestReadTimeout` has the same default. */
  minimumRate: 500,
  /** A body with more chunks is refused if they average fewer than `chunkBytes`. Real clients send 1,000 bytes or more. */
  chunks: 1_000,
  chunkBytes: 64,
  /**
   * Memory for all unfinished bodies, in multiples of `MAX_BODY_BYTES`: 128 bodies of 1 MiB are a quarter of a 512 MiB process.
   */
  all: 128,
};

/** Limit for clients that read their responses slowly, on every role. */
export const slowReaders = {
  /** Bytes per second, averaged over twice `REQUEST_TIMEOUT_MS`. A phone on a slow network (EDGE) reads 10,000. */
  minimumRate: 4_096,
};

/** Limit for response bodies that the gateway forwards. */
export const slowResponses = {
  /** Bytes per second that the upstream must send and the client must read, in each 15.5 s (`REQUEST_TIMEOUT_MS` + 0.5 s). */
  minimumRate: 4_096,
};

/** Maximum number of unanswered requests on one connection. Real clients do not pipeline more requests than this. */
export const pipelinedRequests = 64;

/**
 * Maximum number of client connections of a role. An idle connection takes 12 kB, one with incomplete headers up to 19 kB
 * (measured). All connections together take less than a sixth of the memory of a 512 MiB process. The same limit is set for nginx
 * and HAProxy in `deploy/`.
 */
export const mostConnections = 4_096;

/**
 * Maximum number of GraphQL requests executed concurrently while the event loop is busy. The responses of 24 requests fit into
 * the young generation. Of 250 requests, each promoted 230 kB to the old generation. Measured: with 16, a small request took 7 %
 * longer, because fewer requests were handled per tick; with 32, the process used 30 MiB more under overload.
 */
export const executedAtOnce = 28;

/**
 * Number of objects for which a field is completed without yielding to the event loop. Completing them took 1 to 4 ms. Without
 * the limit, a field of a long list blocked the event loop for up to 35 ms.
 */
export const parentsPerPiece = 128;

/** Limits for large bodies of running and waiting GraphQL requests. Smaller bodies are not counted. */
export const largeBodies = {
  /** A body of at least this many characters is large. The bodies of 256 requests take at most 4 MiB if none is large. */
  from: 16_384,
  /** Maximum characters of all large bodies in memory: 64 MiB of ASCII, an eighth of a 512 MiB process (`SharedQuota`). */
  total: 67_108_864,
};

/**
 * Limits for large GraphQL responses, which stay in memory until their clients have read them. Smaller responses are not counted.
 */
export const largeAnswers = {
  /** A response of at least this many bytes is large. The responses of 512 requests take at most 32 MiB if none is large. */
  from: 65_536,
  /** Maximum bytes of all large unread responses: 64 MiB, an eighth of a 512 MiB process. Callers share them (`SharedQuota`). */
  unread: 67_108_864,
};

/** Maximum number of deferred parts (`@defer`) in a response. Each object with deferred fields is one part. */
export const mostDeferredParts = 1_000;

/** Maximum bytes of cached documents. Documents and plans together take about a quarter of a 512 MiB process. */
export const cachedDocumentBytes = 30_000_000;

/** Maximum bytes of cached documents of saved operations, which other documents do not evict. */
export const savedDocumentBytes = 30_000_000;

/** Maximum characters in the cache that maps a client's text to the saved operation that differs only in its format. */
export const otherFormatCharacters = 4_000_000;

/** Maximum bytes of cached plans, each with its document. */
export const cachedPlanBytes = 70_000_000;

/** Maximum characters of requests known to be queries: identical concurrent ones are executed once. */
export const knownQueryCharacters = 1_000_000;

/** Maximum characters of cached validation errors, which save parsing and validating an invalid document again. */
export const cachedRefusalCharacters = 5_000_000;

/** Memory of a process for REST response bodies, in multiples of one request's budget (`MAX_REQUEST_BYTES`). */
export const requestBudgetsOfProcess = 5;

/**
 * Maximum number of REST responses decompressed concurrently: the number of libuv's threads. A brotli decoder takes up to 16 MB
 * in addition to its output (RFC 7932 §9.1).
 */
export const decompressedAtOnce = 4;
/** Cache for parsed REST responses whose headers allow caching, and for the GraphQL responses built from them. */
export const cachedResponses = {
  /** Maximum bytes of all values: 64 MiB, an eighth of a 512 MiB process. */
  bytes: 67_108_864,
  /** Below this size of the cache, every response is cached. Above it, only responses to repeated requests are cached. */
  openBytes: 8_388_608,
  /** Maximum bytes per caller: an eighth of the total. */
  bytesOfCaller: 8_388_608,
  /** Maximum number of callers whose latest write is remembered. Responses from before that write are not served to them. */
  writers: 10_000,
};

/**
 * Backoff for responses with validators. If an operation gets no 304 for `inRow` cached responses in a row, none of its responses
 * is cached for `pauseMs`. If no 304 follows the pause, the next pause is twice as long, up to 64 minutes. Each group of callers
 * has its own count.
 */
export const unconfirmedResponses = { inRow: 8, groups: 16, pauseMs: 60_000, doublings: 6 };
