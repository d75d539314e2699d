/**
 * What one tenant may have under way: half of the connections behind, so that requests of its own that never end, or
 * answers that it does not read, leave the other half to everybody else. All who open the explorer, which takes no key,
 * have an eighth together.
 */
import type { FastifyReply } from "fastify";
import { CodedError } from "../errors.ts";
import { connections } from "./forward.ts";

export class Shares {
  readonly #underWay = new Map<string | undefined, number>();

  /**
   * Counts a request of a tenant's, or of nobody's, until its answer is read or its client gone. Throws `RATE_LIMITED`
   * when it is one too many.
   */
  take(tenantId: string | undefined, { raw }: FastifyReply): void {
    const share = tenantId === undefined ? connections / 8 : connections / 2;
    const before = this.#underWay.get(tenantId) ?? 0;
    if (before >= share) throw new CodedError("RATE_LIMITED", "too many requests at once", { retryAfter: 1 });
    this.#underWay.set(tenantId, before + 1);
    raw.once("close", () => this.#giveBack(tenantId));
  }

  #giveBack(tenantId: string | undefined): void {
    const left = (this.#underWay.get(tenantId) as number) - 1;
    if (left === 0) this.#underWay.delete(tenantId);
    else this.#underWay.set(tenantId, left);
  }
}
