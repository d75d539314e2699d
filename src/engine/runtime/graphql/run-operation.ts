/** Runs the operations of an HTTP request. Refuses operations that are malformed, not permitted or too large. */
import type { GraphQLResponse } from "@apollo/server";
import type { FastifyRequest } from "fastify";
import { CodedError, limitExceeded } from "../coded-error.ts";
import { msPerRefusal } from "../governor/work-costs.ts";
import type { PartFormat } from "../http/graphql-media-type.ts";
import type { RequestScope } from "../rest/request-scope.ts";
import type { ExecutionContext } from "../rest/rest-context.ts";
import type { Config } from "../settings/config.ts";
import type { Apollo } from "./apollo.ts";
import { readParameters, refusalResponse } from "./graphql-over-http.ts";
import { textLimitError } from "./limits/limits.ts";
import type { RequestContext } from "./request-context.ts";
import { requestedId, requestedText } from "./saved/requested-text.ts";
import type { SavedOperations } from "./saved/saved-operations.ts";
import type { Responses } from "./send-response.ts";

type Running = {
  readonly request: FastifyRequest;
  readonly scope: RequestScope;
  readonly rest: ExecutionContext["rest"];
  /** Whether the operation is part of a batch. Its name is then not recorded. */
  readonly isBatch?: true;
  readonly execution?: RequestContext["execution"];
  readonly partFormat?: PartFormat | undefined;
};

export function operationRunner(config: Config, apollo: Apollo, saved: SavedOperations) {
  const { MAX_OPERATIONS: maxOperations } = config.env;
  const savedOnly = config.env.OPERATIONS === "saved";
  const runOne = (given: unknown, running: Running): Promise<GraphQLResponse> | GraphQLResponse => {
    const { request, scope, rest, isBatch, execution, partFormat } = running;
    const { record } = request;
    const parameters = readParameters(given);
    if (parameters instanceof CodedError) return unexecuted(scope, parameters);
    if (!isBatch) {
      record.documentId = requestedId(parameters)?.slice(0, 100);
      record.text = parameters.query;
    }
    const excess = textLimitError(config.env, parameters.query ?? "");
    if (excess) return unexecuted(scope, excess);
    const find = () => requestedText(saved, savedOnly, parameters);
    const requested = savedOnly && (parameters.query?.length ?? 0) > 1_000 ? scope.measured(find) : find();
    if (requested instanceof CodedError) return unexecuted(scope, requested);
    const { text: query } = requested;
    const { operationName, variables } = parameters;
    if (!isBatch) {
      const { name = "" } = record.client ?? {};
      record.app = saved.isApp(name) ? name : undefined;
      record.operation = requested.saved?.ownerFor(record.app);
      record.operationName = operationName;
    }
    const refusal = apollo.refusals.get(query);
    if (refusal) return unexecuted(scope, refusal);
    const context = {
      rest,
      scope,
      requestId: request.id,
      log: record.serverInfo.log,
      record,
      queriesOnly: request.method !== "POST",
      document: { refused: false },
      execution,
      partFormat,
    };
    return apollo.execute({ query, operationName, variables }, context);
  };
  return (given: unknown, running: Running): Promise<Responses> | Responses => {
    if (!Array.isArray(given)) return runOne(given, running);
    if (given.length > maxOperations)
      throw maxOperations === 1 ? limitExceeded("MAX_OPERATIONS", 1, noBatches) : tooMany(maxOperations);
    if (maxOperations === 1) return unexecuted(running.scope, new CodedError("BAD_REQUEST", noBatches));
    if (given.length === 0) return runOne(given, running);
    const batched: Running = { ...running, isBatch: true, execution: undefined, partFormat: undefined };
    return Promise.all(given.map((one) => runOne(one, batched)));
  };
}

export const tooMany = (limit: number): CodedError =>
  limitExceeded("MAX_OPERATIONS", limit, `a batch may have at most ${limit} operations`);

/** A client that batches sends a list even for a single operation. */
const noBatches =
  "batches are not supported: send one operation a request, as an object and not in a list (Apollo Client: HttpLink in place of BatchHttpLink)";

/** Charges the caller for a refused request, so that a flood of them has a price. */
function unexecuted(scope: RequestScope, refusal: CodedError | GraphQLResponse): GraphQLResponse {
  scope.charge(msPerRefusal);
  return refusal instanceof CodedError ? refusalResponse(refusal) : refusal;
}
