/**
 * Bounds the concurrent requests of each tenant: it may have as many requests as there are free connections. So one
 * tenant alone has at most half of the connections, two tenants have a third each. However many requests hang, or read
 * their responses slowly, the next tenant finds free connections. Requests without a key share an eighth. The bytes of
 * buffered request bodies are bounded for each tenant, and for all tenants together.
 */
import type { FastifyReply } from "fastify";
import { refusedBy } from "../errors.ts";
import { TransientMap } from "../rest/shares/transient-map.ts";
import { gatewayConnections as connections, gatewayBodies } from "../settings/capacity.ts";

type TenantUsage = { requests: number; bytes: number };

export class TenantConcurrency {
  readonly #usage = new TransientMap<TenantUsage>();
  readonly #maxBodyBytes: number;
  #bytes = 0;
  #requests = 0;

  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  /**
   * Counts a request and the bytes of its body until the response is read or the client leaves. A request without a
   * tenant came without a key. Throws `RATE_LIMITED` over the tenant's bound, `SERVICE_UNAVAILABLE` over the bound of
   * all tenants.
   */
  acquire(tenantId: string | undefined, { raw }: FastifyReply, bytes = 0): void {
    const share = tenantId === undefined ? connections / 8 : connections - this.#requests;
    const tenant = tenantId ?? "";
    const own = this.#usage.get(tenant) ?? { requests: 0, bytes: 0 };
    if (own.requests >= share || own.bytes + bytes > gatewayBodies.ofTenant * this.#maxBodyBytes)
      throw refusedBy("tenant_concurrency", "RATE_LIMITED", "too many requests at once");
    if (this.#bytes + bytes > gatewayBodies.all * this.#maxBodyBytes)
      throw refusedBy("bodies", "SERVICE_UNAVAILABLE", "too many request bodies at once");
    this.#usage.set(tenant, own);
    this.#count(own, 1, bytes);
    raw.once("close", () => {
      this.#count(own, -1, -bytes);
      if (own.requests === 0) this.#usage.delete(tenant);
    });
  }

  #count(own: TenantUsage, requests: number, bytes: number): void {
    own.requests += requests;
    own.bytes += bytes;
    this.#requests += requests;
    this.#bytes += bytes;
  }
}
