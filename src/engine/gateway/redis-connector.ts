/** Replaces ioredis' `StandaloneConnector`, which does not support a custom DNS lookup. */
import { createConnection, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { AbstractConnector, type RedisOptions } from "ioredis";
import { lookupCache } from "../runtime/dns/lookup-cache.ts";

export class RedisConnector extends AbstractConnector {
  readonly #options: RedisOptions;

  constructor(options: unknown) {
    super((options as RedisOptions).disconnectTimeout ?? 0);
    this.#options = options as RedisOptions;
  }

  override async connect(): Promise<Socket | TLSSocket> {
    this.connecting = true;
    const { host, port = 6379, family, tls, connectTimeout = 1_000 } = this.#options;
    const lookup = lookupCache.within(0.9 * connectTimeout);
    const options = {
      ...(host !== undefined && { host }),
      port,
      ...(family !== undefined && { family }),
      lookup,
    };
    const stream = tls ? connectTls({ ...options, ...tls }) : createConnection(options);
    this.stream = stream;
    stream.once("error", (error) => {
      this.firstError = error;
      if (host !== undefined) lookupCache.expire(host);
    });
    return stream;
  }
}
