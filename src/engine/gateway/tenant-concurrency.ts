/**
 * Limits each tenant's concurrent requests and the bytes of its buffered bodies. Other tenants are served even if very many
 * requests of one tenant hang. A tenant above its share gets a 429. A tenant within its share gets a 503 while the entire
 * capacity is in use. Requests without a key share an eighth of the connections.
 */
import { type LimitName, refusedByLimit } from "../runtime/coded-error.ts";
import { PresentCallers } from "../runtime/governor/caller.ts";
import { type Refusal, SharedQuota } from "../runtime/governor/shared-quota.ts";
import { gatewayBodies, gatewayConnections } from "../runtime/settings/capacity.ts";

const maxKeyless = gatewayConnections / 8;

export class TenantConcurrency {
  readonly requests = new SharedQuota(gatewayConnections);
  readonly bodies: SharedQuota;
  readonly #tenants = new PresentCallers();

  constructor(maxBodyBytes: number) {
    this.bodies = new SharedQuota(gatewayBodies * maxBodyBytes);
  }

  /**
   * Reserves a request and the bytes of its body. Returns the function that releases both. `tenantId` is undefined for a request
   * without a key. Throws `RATE_LIMITED` or `SERVICE_UNAVAILABLE`.
   */
  acquire(tenantId: string | undefined, bytes = 0): () => void {
    const tenant = this.#tenants.enter(tenantId ?? "");
    const isFull = tenantId === undefined && tenant.held(this.requests) >= maxKeyless;
    const refusal = isFull ? "caller" : this.requests.refusal(tenant, 1);
    const ofBody = bytes > 0 ? this.bodies.refusal(tenant, bytes) : undefined;
    if (refusal || ofBody) {
      tenant.leave();
      throw refusal ? tooMuch("gateway_requests", refusal) : tooMuch("bodies", ofBody ?? "all");
    }
    this.requests.add(tenant, 1);
    this.bodies.add(tenant, bytes);
    return () => {
      this.requests.giveBack(tenant, 1);
      this.bodies.giveBack(tenant, bytes);
      tenant.leave();
    };
  }
}

const tooMuch = (bound: LimitName, refusal: Refusal) =>
  refusal === "caller"
    ? refusedByLimit("tenant_concurrency", "RATE_LIMITED", "too many requests at once")
    : refusedByLimit(bound, "SERVICE_UNAVAILABLE", "all tenants together have too many concurrent requests");
