/**
 * The bodies of GraphQL requests. A body is parsed only when its caller may proceed, and the caller is charged for parsing a
 * large one: 1 MiB takes several milliseconds.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { jsonParser, leaveJsonUnparsed } from "../http/bodies/json-body.ts";
import type { RequestScope } from "../rest/request-scope.ts";

/** Bodies of at least this many characters are charged. */
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
    /**
     * Charges a large body, once the caller may proceed. Its text has been read on arrival, and is read again for the digest by
     * which identical requests are found.
     */
    charge: (scope: RequestScope, { body }: FastifyRequest): Promise<void> | undefined =>
      isLarge(body) ? chargeLarge(scope, body) : undefined,
    parse: (scope: RequestScope, request: FastifyRequest): unknown => {
      const { body } = request;
      if (typeof body !== "string") return undefined;
      return isLarge(body) ? scope.measured(() => parse(request, body)) : parse(request, body);
    },
  };
}
