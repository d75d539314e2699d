/**
 * Fixed capacities of a process, and the defaults of capacities that environment variables set, each with its unit and its
 * reason. The limits of requests, bodies and responses are variables: `environment.ts`.
 */
import { getHeapStatistics } from "node:v8";

/**
 * Default of `REST_CONNECTIONS`: connections to one product's REST service. Callers share them by a `SharedQuota`: one caller
 * gets at most 42. All processes together must not exceed what the service accepts.
 */
export const connectionsPerProduct = 64;

/**
 * Calls of one product that wait or run; further calls are rejected immediately. Enough for 256 concurrent requests with about
 * 20 calls each. Callers share them.
 */
export const callsPerProduct = 5_000;

/** Maximum number of per-caller circuit breakers kept per product. */
export const failingCallers = 1_000;

/** Maximum number of watched files with credentials of the server, and of vendor accounts with a rate limit. */
export const heldFiles = 10_000;

/**
 * How many rate limits of a vendor are remembered for each credential, and how many callers for each limit. A caller that is
 * forgotten counts as a newcomer.
 */
export const vendorQuotas = { limits: 64, callers: 10_000 };

/** Connections of the gateway to one upstream: as many as the `graphql` role accepts concurrent requests. */
export const gatewayConnections = 256;

/**
 * Lifetime of a connection to an upstream in ms; it is closed after the next request. Behind a layer-4 load balancer, a new
 * replica therefore receives its share of requests within twice this time.
 */
export const upstreamConnectionMs = 30_000;

/** Lookups of host names, in ms. */
export const lookups = {
  /** Minimum time between two lookups of a name. Addresses are fresh for at least this time, regardless of their TTL. */
  leastMs: 1_000,
  /** Maximum time for which addresses are fresh, regardless of their TTL; the same as in the JVM. */
  mostMs: 30_000,
  /** How long a connection waits for a lookup before it uses stale addresses. */
  staleAfterMs: 100,
  /** How long stale addresses are used while lookups fail: the lowest "maximum stale timer" that RFC 8767 §5 suggests. */
  usableMs: 86_400_000,
};

/**
 * Node option for V8's young generation, set in every deployment. With 2 GiB of memory, V8 chooses this size by itself. In a
 * container of 512 MiB it chooses 1 MiB, and a request then takes up to twice the CPU time.
 */
export const youngGeneration = { option: "--max-semi-space-size=32", unneededFromMiB: 2_048 };

/**
 * Maximum number of representations in a field `_entities`. A federation gateway sends the representations of a whole list at
 * once.
 */
export const mostRepresentations = 1_000;

/** Full-size request bodies that the gateway buffers: 128 of 1 MiB are a quarter of a 512 MiB process. */
export const gatewayBodies = 128;

/**
 * API keys in the gateway's caches, one for active and one for inactive keys, so that invalid keys do not evict valid ones.
 * `active` is the default of `KEY_CACHE_SIZE`: a key with 8 permissions takes 1.5 kB, one with 40 takes 4.1 kB (measured), so the
 * default number of keys takes a tenth to a quarter of the heap.
 */
export const cachedKeys = {
  active: Math.min(Math.max(Math.floor(getHeapStatistics().heap_size_limit / 16_384), 10_000), 100_000),
  inactive: 10_000,
};

/** Credentials accepted by REST that a `graphql` role without a gateway remembers: 14 MB (measured). */
export const acceptedCredentials = 100_000;

/**
 * Cache of the `graphql` role: from the headers that identify a caller to the caller's profile. Headers with more `characters`
 * are not cached.
 */
export const callerProfiles = { bytes: 33_554_432, bytesOfEach: 1_200, characters: 4_096 };

/**
 * Lookups of API keys. `running` is the default of `KEY_LOOKUPS`: few run concurrently, because all gateways share key
 * introspection. In each rank of `lookup-queue.ts`, up to 64 lookups wait per running lookup, for at most `waitMs`: at 50 ms per
 * lookup, they take 3.2 s.
 */
export const keyLookups = { running: 16, waitingForEach: 64, waitMs: 5_000 };

/**
 * Entries of the revocation log, about 1 MB. Heartbeats alone fill it in eight hours. A gateway that misses more entries looks
 * up its cached keys again.
 */
export const revocationLog = { entries: 10_000 };

/**
 * Early lookups of cached keys while revocations may have been missed. They use up to `part` of `KEY_LOOKUPS`. The rate protects
 * key introspection, which all gateways share.
 */
export const revalidations = { part: 3 / 4, perSecond: 200 };

/**
 * Lookups of invalid keys from one address. A lookup costs as much as a valid request. A client that repeats the same key
 * causes one lookup in 5 s.
 */
export const badKeys = { perMinute: 600 };

/**
 * Keyless introspection requests outside production: body size (a full introspection query has 2 kB), and requests per minute
 * from one address.
 */
export const keylessRequests = { bytes: 16_384, perMinute: 300 };

/** Addresses or keys that one rate limit counts, so that a flood of made-up addresses cannot exhaust the memory. */
export const countedClients = 20_000;

/** Values of a JSON body: object members and array items. Parsing them takes at most 25 ms; 1 MiB could hold 500,000. */
export const valuesPerRequest = 50_000;

/** Values of an MCP message. The SDK validates them about ten times: 5,000 take 25 ms. */
export const valuesPerMessage = 5_000;

/**
 * Introspection bytes that one operation may request: `fullQueries` times the result of the tools' introspection query, and at
 * least `least`. Producing them takes 3 ms.
 */
export const introspectedBytes = { fullQueries: 3, least: 150_000 };

/** Request bodies that arrive slowly, on every role. */
export const slowBodies = {
  /** Milliseconds after which an unfinished body counts as slow, for its address and its credential. */
  slowAfterMs: 1_000,
  /** Maximum number of slow bodies per address, and per credential. */
  ofSender: 32,
  /** Milliseconds after which a body must have arrived at the minimum rate. */
  graceMs: 5_000,
  /** Bytes per second: the default of Apache's `RequestReadTimeout`. */
  minimumRate: 500,
  /**
   * A body with more chunks than `chunks` is refused if they have fewer bytes than `chunkBytes` on average. Chunks of real
   * clients have 1,000 bytes or more.
   */
  chunks: 1_000,
  chunkBytes: 64,
  /** Memory for all unfinished bodies, in full-size bodies: 128 of 1 MiB are a quarter of a 512 MiB process. */
  all: 128,
};

/** Clients that do not read their responses, on every role. */
export const slowReaders = {
  /** Bytes per second, averaged over twice `REQUEST_TIMEOUT_MS`. A phone on a slow network (EDGE) reads 10,000. */
  minimumRate: 4_096,
};

/** Response bodies that the gateway forwards. */
export const slowResponses = {
  /**
   * Bytes per second that the upstream must send, and the client must read, in each period of 15.5 s (`REQUEST_TIMEOUT_MS` + 0.5
   * s).
   */
  minimumRate: 4_096,
};

/** Unanswered requests on one connection. No real client pipelines more. */
export const pipelinedRequests = 64;

/**
 * Client connections to a role. An idle connection takes 12 kB, a connection with incomplete headers up to 19 kB (measured), so
 * all of them take less than a sixth of a 512 MiB process. The same number as for nginx and HAProxy in `deploy/`.
 */
export const mostConnections = 4_096;

/**
 * GraphQL requests that are executed concurrently while the event loop is busy. The responses of 24 fit into the young
 * generation; with 250 in progress, 230 kB of each were promoted to the old one. Measured: with 16, a small request took 7 %
 * longer, because fewer requests were handled per tick of the event loop; with 32, the process used 30 MiB more under overload.
 */
export const executedAtOnce = 28;

/**
 * Parents whose values are completed without yielding. Completing a piece of this size took 1 to 4 ms. Before levels were split
 * into pieces, a level took up to 35 ms on a loaded machine, in event loop ticks of more than 100 ms.
 */
export const parentsPerPiece = 128;

/** Large bodies of running and waiting GraphQL requests. Smaller bodies are not counted. */
export const largeBodies = {
  /** Characters from which a body is large. The smaller bodies of 256 requests take at most 4 MiB. */
  from: 16_384,
  /** Characters of all large bodies: 64 MiB, an eighth of a 512 MiB process. Callers share them, as they share `unread`. */
  total: 67_108_864,
};

/** Large GraphQL responses, which stay in memory until their clients have read them. Smaller ones are not counted. */
export const largeAnswers = {
  /** Bytes from which a response is large. The smaller responses of 512 requests take at most 32 MiB. */
  from: 65_536,
  /** Bytes of all large unread responses: 64 MiB, an eighth of a 512 MiB process. */
  unread: 67_108_864,
};

/** Deferred parts (`@defer`) of a response: one for each object with deferred fields. */
export const mostDeferredParts = 1_000;

/** Bytes of cached documents. Documents and plans together take about a quarter of a 512 MiB process. */
export const cachedDocumentBytes = 30_000_000;

/** Bytes of cached documents of saved operations, separate so that other documents cannot evict them. */
export const savedDocumentBytes = 30_000_000;

/** Maximum characters of the cache that finds the saved operation for a client's text in another format. */
export const otherFormatCharacters = 4_000_000;

/** Bytes of cached plans, each including its document. */
export const cachedPlanBytes = 70_000_000;

/** Characters of requests remembered as queries, so that identical concurrent ones are executed once. */
export const knownQueryCharacters = 1_000_000;

/** Characters of cached validation errors, so that an invalid document is parsed and validated only once. */
export const cachedRefusalCharacters = 5_000_000;

/** A process's budget for REST response bodies, in multiples of a request's budget (`MAX_REQUEST_BYTES`). */
export const requestBudgetsOfProcess = 5;

/**
 * REST responses that are decompressed concurrently: as many as libuv has threads. A brotli decoder takes up to 16 MB in
 * addition to its output (RFC 7932 §9.1).
 */
export const decompressedAtOnce = 4;
/** Responses that REST's headers allow to cache: as parsed values, and the GraphQL responses built from them. */
export const cachedResponses = {
  /** Bytes of all values: 64 MiB, an eighth of a 512 MiB process. */
  bytes: 67_108_864,
  /** Up to this many bytes everything is cached; beyond, only values that were requested recently. */
  openBytes: 8_388_608,
  /** Bytes per caller: an eighth of the total. */
  bytesOfCaller: 8_388_608,
  /** Callers whose last write is remembered, so that responses from before it are not served. */
  writers: 10_000,
};

/**
 * Backoff for validators: after `inRow` cached responses of an operation without a single 304, none is cached for `pauseMs`.
 * Each unsuccessful pause doubles the next one, up to 64 minutes. Counted per group of callers.
 */
export const unconfirmedResponses = { inRow: 8, groups: 16, pauseMs: 60_000, doublings: 6 };
