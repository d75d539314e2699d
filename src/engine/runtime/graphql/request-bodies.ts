/**
 * The bodies of GraphQL requests. They are parsed only once their callers may proceed, and parsing large bodies is charged to the
 * callers: 1 MiB takes several milliseconds.
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
     * For a large body, waits for the caller's turn and charges the work on it: the body is read on arrival, and again for the
     * digest that finds identical requests.
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
