/**
 * `restbound/role`: what a platform that a project brings along stands on. It has the HTTP server that all roles share, API
 * keys and the gateway's context headers, a validator of JSON Schema, and the frame of commands.
 */
export { type Io, processIo, runCommand } from "../cli/command.ts";
export { nonEmpty } from "../cli/parse.ts";
export { Refused } from "../cli/refused.ts";
export { redisCause } from "../gateway/redis.ts";
export { openRevocationLog } from "../gateway/revocation-log.ts";
export type { Samples } from "../graphql/explorer/explorer.ts";
export { type ApiEnvironment, base62, formatApiKey, isWellFormed } from "../http/api-key.ts";
export { compressResponses } from "../http/compress-responses.ts";
export { hasProof, proofHeader, readContextHeaders, type TenantContext } from "../http/context-headers.ts";
export { readKey, unauthenticated } from "../http/credentials.ts";
export { createServer } from "../http/server.ts";
export { acceptedMs } from "../settings/key-times.ts";
export { ajv } from "../standards/json-schema.ts";
