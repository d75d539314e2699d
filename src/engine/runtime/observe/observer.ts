/**
 * Publishes the start and the end of requests and REST calls, and the start of GraphQL operations. Metrics, logs and traces
 * subscribe once per process. An observer must not throw and must not block.
 */
import type { CallRecord, RequestRecord } from "./request-record.ts";

export interface Observer {
  requestBegan?(request: RequestRecord): void;
  /**
   * The execution of a GraphQL operation begins. `request` has its type and document. Called once for each operation of a batch.
   */
  operationBegan?(request: RequestRecord): void;
  /** Called when the response was sent or the client has disconnected. */
  requestEnded?(request: RequestRecord): void;
  callBegan?(call: CallRecord): void;
  /**
   * The call has succeeded or failed. Not called for a call that reuses the response of an identical read in the same request.
   */
  callEnded?(call: CallRecord): void;
}

/** Number of spans that the collector has accepted, and of spans that were lost. */
export const spanCounts = new Map<"sent" | "lost", number>();

const observers: Observer[] = [];

/** Returns the function that unsubscribes. Subscribing twice has no further effect. */
export function subscribe(observer: Observer): () => void {
  if (!observers.includes(observer)) observers.push(observer);
  return () => void observers.splice(observers.indexOf(observer), 1);
}

export function beginRequest(request: RequestRecord): void {
  for (const observer of observers) observer.requestBegan?.(request);
}

export function beginOperation(request: RequestRecord): void {
  for (const observer of observers) observer.operationBegan?.(request);
}

export function endRequest(request: RequestRecord): void {
  for (const observer of observers) observer.requestEnded?.(request);
}

export function beginCall(call: CallRecord): void {
  for (const observer of observers) observer.callBegan?.(call);
}

export function endCall(call: CallRecord): void {
  if (call.isRepeated) return;
  call.request?.called(call);
  for (const observer of observers) observer.callEnded?.(call);
}
