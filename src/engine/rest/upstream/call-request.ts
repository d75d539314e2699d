/** One call as an upstream gets it. */
import type { CallRecord } from "../../observe/records.ts";
import type { Operation } from "../operation.ts";
import type { RequestScope } from "../request-scope.ts";

export type CallRequest = {
  readonly method: string;
  readonly isRead: boolean;
  /** Path and query, below the base URL. */
  readonly path: string;
  /** The operation's own headers, their names in lower case. `undefined`: it has none. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly body: string | undefined;
  readonly scope: RequestScope;
  readonly call: CallRecord;
  readonly operation: Operation;
};
