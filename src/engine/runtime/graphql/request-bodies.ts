/**
 * The bodies of GraphQL requests. They stay texts until their callers may go on, and large ones are charged: 1 MiB
 * takes several milliseconds.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { jsonParser, leaveJsonUnparsed } from "../http/bodies/json-body.ts";
import type { RequestScope } from "../rest/request-scope.ts";

/** Characters. */
const large = 16_384;
const isLarge = (body: unknown): body is string => typeof body === "string" && body.length >= large;

export function requestBodies(server: FastifyInstance) {
  const parse = jsonParser(server);
  leaveJsonUnparsed(server);
  const takeLarge = async (scope: RequestScope, body: string): Promise<void> => {
    await scope.turn();
    scope.workedOn(body);
  };
  return {
    /** A large body was read, and its digest, by which identical requests are found, reads it again. */
    take: (scope: RequestScope, { body }: FastifyRequest): Promise<void> | undefined =>
      isLarge(body) ? takeLarge(scope, body) : undefined,
    parse: (scope: RequestScope, request: FastifyRequest): unknown => {
      const { body } = request;
      if (typeof body !== "string") return undefined;
      return isLarge(body) ? scope.measured(() => parse(request, body)) : parse(request, body);
    },
  };
}
