/**
 * The capacities of a process that no variable sets, and the defaults of two that variables set. Each has its unit and its
 * reason. The bounds on requests, bodies and answers are variables: `environment.ts`.
 */

/**
 * Connections to one product's REST service; `REST_CONNECTIONS` sets them. Callers share them as `SharedQuota` tells: one caller
 * has 42 at most. Several processes together must not have more than the service takes.
 */
export const connectionsPerProduct = 64;

/**
 * Calls of one product that wait or are on a connection. One more is refused at once: 256 requests at once with about 20
 * calls each fit. Callers share them.
 */
export const callsPerProduct = 5_000;

/** Callers of one product whose last call failed: so many have a circuit of their own. */
export const failingCallers = 1_000;

/** Connections of the gateway to one upstream. As many as the `graphql` role takes requests at once. */
export const gatewayConnections = 256;

/**
 * A connection to an upstream ends with the first request after about so many ms. Behind a layer-4 balancer a new replica
 * has its part of the requests within twice that time.
 */
export const upstreamConnectionMs = 30_000;

/** Lookups of host names, in ms. Each name has its own. */
export const lookups = {
  /** The shortest time that addresses are fresh, whatever their TTL is, and the pause between two lookups of a name. */
  leastMs: 1_000,
  /** The longest time that addresses are fresh, whatever their TTL is. The JVM has the same. */
  mostMs: 30_000,
  /** How long a connection waits for a lookup before it uses stale addresses. */
  staleAfterMs: 100,
  /** How long stale addresses are used while lookups fail: the shortest "maximum stale timer" that RFC 8767 §5 suggests. */
  usableMs: 86_400_000,
};

/**
 * V8's young generation, as an option of Node in each start that is deployed. V8 gives as much by itself where a process may
 * use 2 GiB. In a container of 512 MiB it gives 1 MiB, and then a request takes up to twice the processor time.
 */
export const youngGeneration = { option: "--max-semi-space-size=32", unneededFromMiB: 2_048 };

/** Request bodies of the full size that the gateway keeps for upstreams. 128 of 1 MiB are a quarter of a 512 MiB process. */
export const gatewayBodies = 128;

/** API keys in the gateway's cache, good ones and bad ones each, so that a flood of bad keys drops no good one. */
export const cachedKeys = 10_000;

/** Credentials that REST has accepted, as a `graphql` role without a gateway remembers them: 14 MB (measured). */
export const acceptedCredentials = 100_000;

/**
 * What the `graphql` role remembers of each caller: the headers that decide who it is, and what they decide. A caller whose
 * headers have more characters is not remembered.
 */
export const callerProfiles = { bytes: 33_554_432, bytesOfEach: 1_200, characters: 4_096 };

/**
 * Look-ups of API keys. A few run at a time, because key introspection serves every gateway. Of each rank 1,024 wait, for
 * `waitMs` at most: at 50 ms a look-up they take 3.2 s.
 */
export const keyLookups = { running: 16, waiting: 1_024, waitMs: 5_000 };

/**
 * Entries of the log of revoked keys, about 1 MB. Heartbeats alone fill it in eight hours. A gateway that misses more entries
 * looks its cached keys up again.
 */
export const revocationLog = { entries: 10_000 };

/**
 * Look-ups of cached keys before their time, while revocations may have been missed. They take places of `keyLookups` that no
 * request needs, and leave a quarter of them free. The rate protects key introspection, which serves every gateway.
 */
export const revalidations = { running: 12, perSecond: 200 };

/**
 * Look-ups that find no good key, of one address. A look-up costs as much as a good request. A client that shows the same
 * key again costs one look-up in 5 s.
 */
export const badKeys = { perMinute: 600 };

/**
 * Requests without a key that ask for the schema, outside production. A full introspection query is 2 kB long. An address
 * that asks more often than this gets 429.
 */
export const keylessRequests = { bytes: 16_384, perMinute: 300 };

/** Addresses or keys that one rate limit counts. The bound keeps a flood of made-up addresses from filling the memory. */
export const countedClients = 20_000;

/** Values of a JSON body: members of objects, items of lists. They are parsed in 25 ms at most; 1 MiB may hold 500,000. */
export const valuesPerRequest = 50_000;

/** Values of an agent's message. The SDK validates them some ten times: 5,000 take 25 ms. */
export const valuesPerMessage = 5_000;

/**
 * The bytes of the schema that one operation may ask for: those of `fullQueries` answers to the introspection query of tools,
 * and at least `least`. So many are made in 3 ms.
 */
export const introspectedBytes = { fullQueries: 3, least: 150_000 };

/** Request bodies that arrive slowly, on every role. */
export const slowBodies = {
  /** Ms. From this age on a body is slow: it counts for its address and its credential. */
  slowAfterMs: 1_000,
  /** Slow bodies of one address, and of one credential. */
  ofSender: 32,
  /** Ms. From this age on a body must have arrived at the minimum rate. */
  graceMs: 5_000,
  /** Bytes a second: the default of Apache's `RequestReadTimeout`. */
  minimumRate: 500,
  /** Pieces of a chunked body. More of them must have so many bytes each, on average; real ones have 1,000 and more. */
  pieces: 1_000,
  pieceBytes: 64,
  /** The memory of all unfinished bodies, in bodies of the full size. 128 of 1 MiB are a quarter of a 512 MiB process. */
  all: 128,
};

/** Clients that do not read their answers, on every role. */
export const slowReaders = {
  /** Bytes a second, over twice `REQUEST_TIMEOUT_MS`. A phone on a bad network (EDGE) takes 10,000. */
  minimumRate: 4_096,
};

/** Bodies of responses that the gateway forwards. */
export const slowResponses = {
  /** Bytes a second, from each 15.5 s to the next (`REQUEST_TIMEOUT_MS`). Clients must read as fast. */
  minimumRate: 4_096,
};

/** Requests of one connection without a complete response. No real client pipelines more. */
export const pipelinedRequests = 64;

/**
 * Connections of clients to a role. An idle one holds 12 kB, one with an unfinished head up to 19 kB (measured), so all of
 * them hold less than a sixth of a 512 MiB process. As many as nginx and HAProxy take in `deploy/`.
 */
export const mostConnections = 4_096;

/**
 * GraphQL requests that are executed at the same time while the event loop is busy. The responses of 24 fit the young
 * generation; with all of 250 under way, 230 kB of each were promoted out of it. Measured: with 16, a small request took
 * 7 % more time, because fewer requests were handled in one turn of the event loop; with 32, the process took 30 MiB more
 * under overload.
 */
export const executedAtOnce = 28;

/**
 * Parents whose values are completed without a break. Pieces of this size took 1 to 4 ms. Before levels were cut into
 * pieces, a level took up to 35 ms on a loaded machine, within turns of the event loop of over 100 ms.
 */
export const parentsPerPiece = 128;

/** Large bodies of the GraphQL requests under way, running or waiting. Smaller bodies are not counted. */
export const largeBodies = {
  /** Characters. From this size on a body is large. Smaller ones of 256 requests are 4 MiB. */
  from: 16_384,
  /** Characters of all large bodies: 64 MiB, an eighth of a 512 MiB process. Callers share them as they share `unread`. */
  underWay: 67_108_864,
};

/** Large GraphQL answers: they stay in memory until their clients have read them. Smaller answers are not counted. */
export const largeAnswers = {
  /** Bytes. From this size on an answer is large. Smaller ones of 512 requests are 32 MiB. */
  from: 65_536,
  /** Bytes of all large answers that are not read yet: 64 MiB, an eighth of a 512 MiB process. */
  unread: 67_108_864,
};

/** Bytes of the documents in the cache. Documents and plans together take about a quarter of a 512 MiB process. */
export const cachedDocumentBytes = 30_000_000;

/** Bytes of the documents of saved operations. No flood of other documents drops them. */
export const savedDocumentBytes = 30_000_000;

/** Characters of the texts that say a saved operation in another format, and of those that say none. */
export const otherFormatCharacters = 4_000_000;

/** Bytes of the plans in the cache; each counts its document too. */
export const cachedPlanBytes = 70_000_000;

/** Characters of the requests that are known as queries, so that identical ones that arrive together are executed once. */
export const knownQueryCharacters = 1_000_000;

/** Characters of the refusals in the cache. A refused document costs its parsing and validation once. */
export const cachedRefusalCharacters = 5_000_000;

/** The budget of a process for REST's response bodies, in budgets of one request (`MAX_REQUEST_BYTES`). */
export const requestBudgetsOfProcess = 5;

/**
 * Responses of REST that are decompressed at the same time: as many as libuv has threads. A brotli decoder holds up to 16 MB
 * beside its output (RFC 7932 §9.1).
 */
export const decompressedAtOnce = 4;
/** What REST's own headers allow to keep: its responses as parsed values, and the texts of answers made of them. */
export const cachedResponses = {
  /** Bytes of all: 64 MiB, an eighth of a 512 MiB process. */
  bytes: 67_108_864,
  /** Bytes up to which all is kept. Beyond, only what was asked for lately. */
  openBytes: 8_388_608,
  /** Bytes of one caller's: an eighth of all. */
  bytesOfCaller: 8_388_608,
  /** Callers whose last write is remembered, so that nothing from before the write is kept. */
  writers: 10_000,
};

/**
 * Responses of an operation that are kept for their validators without a 304 of any: after so many none is kept for a while.
 * Each pause in vain makes the next one twice as long, up to 64 minutes. Callers count in so many groups.
 */
export const unconfirmedResponses = { inRow: 8, groups: 16, pauseMs: 60_000, doublings: 6 };
