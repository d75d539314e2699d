/**
 * The body of a GraphQL request is parsed when the request gets its turn on the processor, not on arrival. The caller is charged
 * for parsing large bodies, because 1 MiB takes several milliseconds.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { jsonParser, leaveJsonUnparsed } from "../http/bodies/json-body.ts";
import type { RequestScope } from "../rest/request-scope.ts";

/** The caller is charged for parsing bodies of at least this length. */
const large = 16_384;
const isLarge = (body: unknown): body is string => typeof body === "string" && body.length >= large;

export function requestBodies(server: FastifyInstance) {
  const parse = jsonParser(server);
  leaveJsonUnparsed(server);
  const chargeLarge = async (scope: RequestScope, body: string): Promise<void> => {
    await scope.turn();
    scope.chargeText(body);
  };
  return {
    /** Waits for the caller's turn, then charges a large body's text, and the digest that finds identical requests. */
    charge: (scope: RequestScope, { body }: FastifyRequest): Promise<void> | undefined =>
      isLarge(body) ? chargeLarge(scope, body) : undefined,
    parse: (scope: RequestScope, request: FastifyRequest): unknown => {
      const { body } = request;
      if (typeof body !== "string") return undefined;
      return isLarge(body) ? scope.measured(() => parse(request, body)) : parse(request, body);
    },
  };
}
