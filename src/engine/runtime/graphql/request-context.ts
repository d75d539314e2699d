/** The context of a GraphQL request in Apollo: the resolvers' context, and the data for logging and masking. */

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
  /** Whether the request may only run queries, because it was sent by GET, a safe method (RFC 9110 §9.2.1). */
  readonly queriesOnly?: boolean;
  /** `refused` is set once the parser or the validation has refused the document; `Apollo` uses it. */
  readonly document?: { refused: boolean };
  /**
   * `isQuery` is set once the operation is known; `ResponseCache` uses it. A response in parts is not shared, so `end` is called
   * as soon as such a response begins.
   */
  readonly execution?: { isQuery: boolean; readonly end: () => void } | undefined;
  /** The format of a response in parts, if the client accepts one. */
  readonly partFormat?: PartFormat | undefined;
};
