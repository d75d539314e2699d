/** `restbound/server`: the start of a service. It loads nothing else before the start has set the flags of V8. */
export { serve } from "../process/serve.ts";
export type { Platform, Service } from "../process/service.ts";
