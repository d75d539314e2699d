/**
 * Revocations on their way from the key store to the gateways (`REDIS_URL`). The transaction that revokes a key also notes it
 * as unpublished, so that none is lost when the process or Redis fails in between. `keys revoke` publishes what is noted, and
 * a running platform publishes what is left. To publish a revocation twice does no harm.
 */
import type { FastifyInstance } from "fastify";
import type { Config } from "restbound";
import { openRevocationLog, type RedisPlace, redisCause } from "restbound/role";
import { text } from "../store/row.ts";
import type { Store, TenantStore } from "../store/store.ts";

const relayMs = 1_000;

/** Returns whether there was such a key that was not revoked yet. */
export function revokeKey(store: Store, tenant: TenantStore, id: string, now: Date): boolean {
  return store.transaction(() => {
    const isRevoked = tenant.run("revokeKey", { id, now: now.toISOString() }) > 0;
    if (isRevoked) tenant.run("insertUnpublishedRevocation", { id });
    return isRevoked;
  });
}

/** Throws where Redis does not take a revocation, which stays noted. */
export async function publishRevocations(store: Store, place: RedisPlace): Promise<void> {
  const next = () => store.unscoped("unpublishedRevocation");
  if (!next()) return;
  const log = await openRevocationLog(place);
  try {
    for (let row = next(); row; row = next()) {
      const id = text(row.id);
      await log.append(id);
      store.tenant(text(row.tenantId)).run("removeUnpublishedRevocation", { id });
    }
  } finally {
    log.close();
  }
}

/** Publishes until the server is closed what other processes have revoked and not published. */
export function relayRevocations(server: FastifyInstance, { env }: Config, store: Store): void {
  const place = env.REDIS_URL;
  if (!place) return;
  let isClosed = false;
  let isTold = false;
  let relay = Promise.resolve();
  const run = async (): Promise<void> => {
    try {
      await publishRevocations(store, place);
      isTold = false;
    } catch (error) {
      if (!isTold) server.log.warn({ cause: redisCause(error as Error) }, "REDIS_URL: revocations wait");
      isTold = true;
    }
    if (!isClosed) timer.refresh();
  };
  const timer = setTimeout(() => {
    relay = run();
  }, relayMs).unref();
  server.addHook("onClose", async () => {
    isClosed = true;
    clearTimeout(timer);
    await relay;
  });
}
