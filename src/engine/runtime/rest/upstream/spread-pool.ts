/**
 * A pool that limits the age of its connections. Layer-4 load balancers and Kubernetes Services balance connections, not
 * requests: if old connections stayed open, a new replica of the upstream would get few requests. The option `clientTtl` of
 * undici is not used, because requests to a full pool may hang (nodejs/undici#5144, fixed in version 8).
 */

import { Client, type Dispatcher, Pool } from "undici";
import { upstreamConnectionMs } from "../../settings/capacity.ts";

/** Multiplies the value by 0.5 to 1.5, so that connections of the same age are not closed at the same time. */
const jittered = (value: number): number => Math.ceil(value * (0.5 + Math.random()));

/** A client that closes an old connection after the next response on it, so that no request is lost. */
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
