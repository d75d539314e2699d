/**
 * Finds the caller of a request: the owner of a share of the processor, of memory, of connections and of places. Behind
 * a gateway the caller is the tenant. Without a gateway, only REST can say whether a credential is good. Until REST has
 * accepted a credential, its requests belong to the address that they come from, so made-up credentials make no further
 * callers.
 */
import { hash, randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { Config } from "../config.ts";
import { addressBlock } from "../http/address-block.ts";
import type { Forwarded } from "../rest/forwarded.ts";
import { headerForwarder, isVerified } from "../rest/forwarded-headers.ts";
import { acceptedCredentials } from "../settings/capacity.ts";
import type { Operations } from "../standards/operation.ts";

declare module "fastify" {
  interface FastifyRequest {
    /**
     * A property of the request, because an entry of a WeakMap would outlive its request until a major garbage
     * collection.
     */
    forwarded: Forwarded | undefined;
  }
}

/** A caller whose credential REST has not accepted yet, or who has none. */
const unknown = "address ";

export class Callers {
  readonly #forward: ReturnType<typeof headerForwarder>;
  readonly #accepted = new LRUCache<number, true>({
    maxSize: acceptedCredentials, // `max` would make room for all of them at the start
    sizeCalculation: () => 1,
  });
  readonly #salt = randomBytes(16).toString("base64");

  constructor(config: Config, operations: Operations) {
    this.#forward = headerForwarder(config, operations);
  }

  /** The headers that travel on to REST, and the caller. */
  of(request: FastifyRequest): Forwarded {
    request.forwarded ??= this.#read(request);
    return request.forwarded;
  }

  /** Notes that REST has accepted the credential of the request. */
  accept(request: FastifyRequest): void {
    if (!this.of(request).caller.startsWith(unknown)) return;
    const { caller } = this.#forward(request.headers, request.id);
    if (caller !== "") this.#accepted.set(this.#digestOf(caller), true);
  }

  #read({ headers, id, ip }: FastifyRequest): Forwarded {
    const forwarded = this.#forward(headers, id);
    if (!isVerified(forwarded) && !this.#accepted.get(this.#digestOf(forwarded.caller)))
      forwarded.caller = unknown + addressBlock(ip);
    return forwarded;
  }

  /** 48 bits, so that very many credentials take little memory. Nobody knows the salt, so nobody makes two of one digest. */
  #digestOf(caller: string): number {
    return Number.parseInt(hash("sha256", this.#salt + caller).slice(0, 12), 16);
  }
}
