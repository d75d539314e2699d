/** Runs one operation of an HTTP request, unless it is refused before. */
import type { GraphQLResponse } from "@apollo/server";
import type { FastifyRequest } from "fastify";
import type { GraphQLError } from "graphql";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import type { RequestScope } from "../rest/request-scope.ts";
import type { Rest } from "../rest/rest.ts";
import { msPerRefusal } from "../rest/shares/processor-time.ts";
import type { Apollo } from "./apollo.ts";
import { textExcess } from "./limits/limits.ts";
import { Refusals } from "./limits/refusals.ts";
import { readParameters, refusalResponse } from "./over-http.ts";
import { requestedText } from "./saved/requested-text.ts";
import type { SavedOperations } from "./saved/saved-operations.ts";

type Running = {
  readonly request: FastifyRequest;
  readonly scope: RequestScope;
  readonly rest: Rest;
  /** The operation is one of several. Its name is not noted. */
  readonly isBatch: boolean;
  readonly execution?: { isQuery: boolean } | undefined;
};

export function operationRunner(config: Config, apollo: Apollo, saved: SavedOperations) {
  const savedOnly = config.env.OPERATIONS === "saved";
  const refusals = new Refusals();
  return async (given: unknown, running: Running): Promise<GraphQLResponse> => {
    const { request, scope, rest, isBatch, execution } = running;
    const { record } = request;
    const asked = readParameters(given);
    if (typeof asked === "string") return unexecuted(scope, refusalResponse(asked));
    const excess = textExcess(config.env, asked.query ?? "");
    if (excess) return unexecuted(scope, refusedOperation(excess));
    const query = requestedText(saved, savedOnly, asked);
    if (query instanceof CodedError)
      return unexecuted(scope, refusalResponse(query.message, query.status, { code: query.code }));
    const { operationName, variables } = asked;
    if (!isBatch) {
      record.operation = saved.nameOf(query);
      record.givenName = operationName;
    }
    const known = refusals.get(query);
    if (known) return unexecuted(scope, known);
    const document = { refused: false };
    const queriesOnly = request.method !== "POST";
    const contextValue = {
      ...{ rest, scope, requestId: request.id, log: record.face.log },
      ...{ queriesOnly, document, execution },
    };
    const response = await apollo.execute({ query, operationName, variables }, contextValue);
    if (document.refused) refusals.set(query, response);
    return response;
  };
}

export const refusedOperation = ({ message, extensions }: GraphQLError): GraphQLResponse =>
  refusalResponse(message, 400, { code: "LIMIT_EXCEEDED", ...extensions });

/** A refusal without an execution is charged too: a flood of them must not be free. */
function unexecuted(scope: RequestScope, response: GraphQLResponse): GraphQLResponse {
  scope.worked(msPerRefusal);
  return response;
}
