/** The context of a GraphQL request: the context of resolvers, and data for logging and masking errors. */

import type { PartFormat } from "../http/graphql-media-type.ts";
import type { LogLines } from "../observe/log-lines.ts";
import type { RequestRecord } from "../observe/request-record.ts";
import type { RequestScope } from "../rest/request-scope.ts";
import type { ExecutionContext } from "../rest/rest-context.ts";

export type RequestContext = ExecutionContext & {
  readonly scope: RequestScope;
  readonly requestId: string;
  readonly log: LogLines;
  readonly record?: RequestRecord;
  /** Whether the request must not run mutations, because it is a GET, a safe method (RFC 9110 §9.2.1). */
  readonly queriesOnly?: boolean;
  /** `refused`: whether the document does not parse or is not valid. `apollo.ts` then caches the response. */
  readonly document?: { refused: boolean };
  /** `isQuery` is set for `ResponseCache` when the operation is known. `end` is called when a response in parts begins. */
  readonly execution?: { isQuery: boolean; readonly end: () => void } | undefined;
  /** The format of incremental delivery that the client accepts. */
  readonly partFormat?: PartFormat | undefined;
};
