/**
 * `restbound/role`: building blocks for a project's own platform: the HTTP server that all roles share, API keys, the
 * gateway's context headers, a JSON Schema validator, and the base of commands.
 */

export { redisCause } from "../gateway/redis.ts";
export { openRevocationLog } from "../gateway/revocation-log.ts";
export type { Samples } from "../runtime/graphql/explorer/explorer.ts";
export {
  type ApiEnvironment,
  base62,
  formatApiKey,
  isWellFormed,
  randomBase62,
} from "../runtime/http/api-key.ts";
export { compressResponses } from "../runtime/http/compress-responses.ts";
export { readContextHeaders, type TenantContext } from "../runtime/http/context-headers.ts";
export { readKey, unauthenticated } from "../runtime/http/credentials.ts";
export { hasProof, proofHeader } from "../runtime/http/gateway-proof.ts";
export { createServer } from "../runtime/http/server.ts";
export { acceptedMs } from "../runtime/settings/key-times.ts";
export type { RedisAddress } from "../runtime/settings/redis-address.ts";
export { type Io, processIo, runCommand } from "../shared/cli/command.ts";
export { CommandRefusal } from "../shared/cli/command-failure.ts";
export { nonEmpty } from "../shared/cli/command-line.ts";
export { expiryForms, readExpiry } from "../shared/cli/expiry.ts";
export { ajv } from "../shared/json-schema.ts";
