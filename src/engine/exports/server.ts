/**
 * `restbound/server`: starts a service, as a process or inside a test. `serve` loads other modules only after it has set V8's
 * flags.
 */
export { open, serve } from "../server/serve.ts";
export type { Platform, Service } from "../server/service.ts";
