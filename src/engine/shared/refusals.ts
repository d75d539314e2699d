/** Finds out which 4xx statuses a REST service sends, from the error responses that the document lists for an operation. */
import type { Operation } from "./operation.ts";

type Refusals = Pick<Operation, "refusals">;

/** Returns the key of the response in the document: the status, `4XX` or `default` (OpenAPI 3.1 §4.8.16). */
export const documentedStatus = ({ refusals }: Refusals, status: number): string | undefined =>
  [String(status), "4XX", "default"].find((key) => refusals?.includes(key));

/**
 * Whether the document lists the operation's error responses. If so, a 4xx response that is not listed probably does not come
 * from the API. An operation with only a 422 does not count, because FastAPI adds a 422 to every operation with input.
 */
export const listsRefusals = ({ refusals }: Refusals): boolean =>
  refusals?.some((each) => each !== "422") === true;
