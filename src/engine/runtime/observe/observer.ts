/**
 * The one place that is told of each request and each REST call as it begins and as it ends. Metrics, logs and traces
 * subscribe here, once a process. Without a subscriber nothing happens. An observer must not throw and must not wait.
 */
import type { CallRecord, RequestRecord } from "./request-record.ts";

export interface Observer {
  requestBegan?(request: RequestRecord): void;
  /** The answer is sent, or its client has left. */
  requestEnded?(request: RequestRecord): void;
  callBegan?(call: CallRecord): void;
  /** The value is there, or the call has failed. A call that shared another's answer is not told. */
  callEnded?(call: CallRecord): void;
}

/** The spans that the collector of traces took, and those that it did not take. */
export const spanCounts = new Map<"sent" | "lost", number>();

const observers: Observer[] = [];

/** Subscribing twice is once. Returns the function that ends the subscription. */
export function subscribe(observer: Observer): () => void {
  if (!observers.includes(observer)) observers.push(observer);
  return () => void observers.splice(observers.indexOf(observer), 1);
}

export function beginRequest(request: RequestRecord): void {
  for (const observer of observers) observer.requestBegan?.(request);
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
