/** The service: the engine and the code generated for this API. */
import { join } from "node:path";
import { type Service, serve } from "restbound/server";

export const service: Service = {
  name: "library",
  root: join(import.meta.dirname, ".."),
  /** The environment overrides these. */
  defaults: { REST_BASE_URL: "https://library.example.com" },
  api: async () => (await import("../generated/index.ts")).api,
};

if (import.meta.main) await serve(service);
