/**
 * Publishes revocations of keys to the gateways, through Redis (`REDIS_URL`), by the outbox pattern. The transaction that revokes
 * a key also marks its revocation as unpublished, so that no revocation is lost if the process or Redis fails. `keys revoke` and
 * a running platform publish marked revocations. Publishing a revocation twice is harmless.
 */
import type { FastifyInstance } from "fastify";
import type { Config } from "restbound";
import { openRevocationLog, type RedisAddress, redisCause } from "restbound/role";
import { text } from "../store/row.ts";
import type { Store, TenantStore } from "../store/store.ts";

const relayMs = 1_000;

/** Revokes a key. Returns `false` if the key does not exist or was already revoked. */
export function revokeKey(store: Store, tenant: TenantStore, id: string, now: Date): boolean {
  return store.transaction(() => {
    const isRevoked = tenant.run("revokeKey", { id, now: now.toISOString() }) > 0;
    if (isRevoked) tenant.run("insertUnpublishedRevocation", { id });
    return isRevoked;
  });
}

/** Publishes all marked revocations. Throws if Redis fails. An unpublished revocation remains marked. */
export async function publishRevocations(store: Store, place: RedisAddress): Promise<void> {
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

/** Repeatedly publishes the revocations that are marked as unpublished, until the server is closed. */
export function relayRevocations(server: FastifyInstance, { env }: Config, store: Store): void {
  const place = env.REDIS_URL;
  if (!place) return;
  let isClosed = false;
  let hasWarned = false;
  let relay = Promise.resolve();
  const run = async (): Promise<void> => {
    try {
      await publishRevocations(store, place);
      hasWarned = false;
    } catch (error) {
      const fields = { cause: redisCause(error as Error) };
      if (!hasWarned) server.log.warn(fields, "REDIS_URL: revocations cannot be published yet; retrying");
      hasWarned = true;
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
