/** What a GraphQL request carries through Apollo: the resolvers' context, and what logging and masking need. */
import type { FastifyBaseLogger } from "fastify";
import type { Context } from "../rest/context.ts";

export type RequestContext = Context & {
  readonly requestId: string;
  readonly log: FastifyBaseLogger;
};
