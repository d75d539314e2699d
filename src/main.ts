/** The service: the engine, the code generated for this API, and the embedded REST platform. */
import { join } from "node:path";
import { type Service, serve } from "restbound/server";

export const service: Service = {
  name: "messaging-graphql",
  root: join(import.meta.dirname, ".."),
  api: async () => (await import("../generated/index.ts")).api,
  platform: async () => (await import("./platform/role.ts")).platform,
};

if (import.meta.main) await serve(service);
