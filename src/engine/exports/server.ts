/** `restbound/server`: the start of a service, as a process or inside a test. It loads nothing else before the start has set the flags of V8. */
export { open, serve } from "../server/serve.ts";
export type { Platform, Service } from "../server/service.ts";
