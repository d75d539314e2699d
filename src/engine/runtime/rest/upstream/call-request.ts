/** Replaces `Request` in openapi-fetch with an object that has only the members a call needs. */
import { isSafeMethod, type Operation } from "../../../shared/operation.ts";
import type { CallRecord } from "../../observe/request-record.ts";
import type { CallCredentials } from "../held-credentials.ts";
import type { RequestScope } from "../request-scope.ts";

type CallInit = Pick<CallRequest, "method" | "body" | "scope" | "call" | "operation" | "held"> & {
  readonly headers: Headers;
  readonly hasHeaders: boolean;
};

export class CallRequest {
  /** The path of the request, with its query. */
  readonly path: string;
  readonly method: string;
  /** The headers that the operation's header parameters set; `undefined` if there are none. */
  readonly headers: Record<string, string> | undefined;
  readonly body: string | undefined;
  readonly scope: RequestScope;
  readonly isRead: boolean;
  readonly call: CallRecord;
  readonly operation: Operation;
  /** The server's credentials, if the operation uses them instead of the caller's. */
  readonly held: CallCredentials | undefined;

  constructor(path: string, init: CallInit) {
    this.path = path || "/";
    this.method = init.method;
    this.headers = init.hasHeaders ? Object.fromEntries(init.headers) : undefined;
    this.body = init.body;
    this.scope = init.scope;
    this.isRead = isSafeMethod(init.method);
    this.call = init.call;
    this.operation = init.operation;
    this.held = init.held;
  }
}
