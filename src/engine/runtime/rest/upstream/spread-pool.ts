/**
 * A pool that limits the age of its connections. A layer-4 load balancer or a Kubernetes Service balances connections, not
 * requests: with unlimited age, a new replica would get almost no requests. undici's own option for the age, `clientTtl`, lets
 * requests of a full pool hang (nodejs/undici#5144, fixed in version 8).
 */

import { Client, type Dispatcher, Pool } from "undici";
import { upstreamConnectionMs } from "../../settings/capacity.ts";

/** Returns 0.5 to 1.5 times the value, so that connections opened together are not closed together. */
const jittered = (value: number): number => Math.ceil(value * (0.5 + Math.random()));

/** A client that asks its upstream to close an old connection after the next response. No request in flight is lost. */
class AgeingClient extends Client {
  #endsAt = Number.POSITIVE_INFINITY;

  constructor(url: URL, options: Client.Options) {
    super(url, options);
    this.on("connect", () => {
      this.#endsAt = performance.now() + jittered(upstreamConnectionMs);
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (performance.now() < this.#endsAt) return super.dispatch(options, handler);
    this.#endsAt = Number.POSITIVE_INFINITY;
    return super.dispatch({ ...options, reset: true }, handler);
  }
}

export const spreadPool = (origin: string, options: Pool.Options): Pool =>
  new Pool(origin, { ...options, factory: (url, given) => new AgeingClient(url, given) });
