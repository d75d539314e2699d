/**
 * Determines the owners that a request is charged to. Each owner has a share of the processor, of memory, of connections and of
 * the start queue. Behind a gateway, the owner is the tenant.
 *
 * Without a gateway, only REST can verify a credential. A request is therefore charged to the owners of those credentials
 * that REST has accepted before. If there are none, the request is charged to the client's address. Made-up credentials create no
 * owners, even if the request also contains a valid credential.
 */
import { hash, randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { Operations } from "../../shared/operation.ts";
import { addressBlock } from "../http/address-block.ts";
import type { CallerHeaders } from "../rest/caller-headers.ts";
import type { Owner } from "../rest/credentials.ts";
import { headerForwarder, isVerified } from "../rest/forwarded-headers.ts";
import { acceptedCredentials } from "../settings/capacity.ts";
import type { Config } from "../settings/config.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The result of `Callers.of`. Not kept in a WeakMap, which would retain the result until the next major GC. */
    forwarded: CallerHeaders | undefined;
  }
}

/** Prefix of the owner's name if the owner is a client address. */
const addressPrefix = "address ";

export class Callers {
  readonly #forward: ReturnType<typeof headerForwarder>;
  readonly #accepted = new LRUCache<number, true>({
    maxSize: acceptedCredentials, // `max` would allocate memory for all entries at once
    sizeCalculation: () => 1,
  });
  readonly #salt = randomBytes(16).toString("base64");

  constructor(config: Config, operations: Operations) {
    this.#forward = headerForwarder(config, operations);
  }

  /** Returns the headers that are forwarded to REST, and the owners that the request is charged to. */
  of(request: FastifyRequest): CallerHeaders {
    request.forwarded ??= this.#read(request);
    return request.forwarded;
  }

  /** Called when REST has responded: remembers which of the request's credentials REST has accepted. */
  remember(request: FastifyRequest): void {
    const { accepted, profile } = this.of(request);
    for (const owner of accepted) {
      this.#accepted.set(this.#digestOf(owner.name), true);
      profile.accepted.add(owner);
    }
  }

  #read({ headers, id, ip }: FastifyRequest): CallerHeaders {
    const forwarded = this.#forward(headers, id);
    if (isVerified(forwarded)) return forwarded;
    const { owners, accepted } = forwarded.profile;
    if (owners.length > 0 && accepted.size === owners.length) return forwarded;
    const acceptedOwners = owners.filter((owner) => this.#isAccepted(owner, accepted));
    if (acceptedOwners.length < owners.length)
      forwarded.unknown = owners.filter((owner) => !acceptedOwners.includes(owner));
    forwarded.owners =
      acceptedOwners.length > 0 ? acceptedOwners : [{ name: addressPrefix + addressBlock(ip), headers: [] }];
    return forwarded;
  }

  /**
   * Whether REST has accepted the owner's credential before. `accepted` contains the owners whose credentials REST has accepted
   * in the same combination of credentials as in this request, `#accepted` those of all combinations.
   */
  #isAccepted(owner: Owner, accepted: Set<Owner>): boolean {
    const isAccepted = accepted.has(owner) || this.#accepted.get(this.#digestOf(owner.name)) === true;
    if (isAccepted) accepted.add(owner);
    return isAccepted;
  }

  /** Returns 48 bits of a digest, to save memory. The salt is secret, so attackers cannot construct collisions. */
  #digestOf(owner: string): number {
    return Number.parseInt(hash("sha256", this.#salt + owner).slice(0, 12), 16);
  }
}
