/**
 * A pool whose connections end after a while. A layer-4 balancer or a Kubernetes Service balances connections, not
 * requests: without an end, a replica that is new there would get almost nothing.
 * undici's own option for the age, `clientTtl`, lets requests of a full pool hang (nodejs/undici#5144, mended in 8).
 */

import { Client, type Dispatcher, Pool } from "undici";
import { upstreamConnectionMs } from "../../settings/capacity.ts";

/** From a half of it to one and a half: connections that began together do not end together. */
const jittered = (value: number): number => Math.ceil(value * (0.5 + Math.random()));

/** A client asks its upstream to close a connection that is old, with the response. Nothing under way is lost. */
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
