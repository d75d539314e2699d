/**
 * Finds the GraphQL document of a request: the text in the request, or the text of a saved operation by its id. The id is in
 * `documentId` (GraphQL over HTTP, appendix A "Persisted Documents") or in `extensions.persistedQuery` (Apollo's automatic
 * persisted queries). For an unknown id, the response is the error of Apollo Server that makes clients send the text. Unlike
 * Apollo Server, this server never saves that text.
 */
import { hash } from "node:crypto";
import type { GraphQLRequest } from "@apollo/server";
import { membersOf } from "../../../shared/json-object.ts";
import { normalizeId } from "../../../shared/manifests/operation-ids.ts";
import { CodedError } from "../../coded-error.ts";
import type { SavedOperations } from "./saved-operations.ts";
import type { SavedText } from "./saved-text.ts";

export type Request = GraphQLRequest & { readonly documentId?: string | undefined };

type Requested = { readonly text: string; readonly saved: SavedText | undefined };

/** Returns a `CodedError` for an unknown id, an id of another text or, if `savedOnly`, an unsaved text. */
export function requestedText(
  operations: SavedOperations,
  savedOnly: boolean,
  { query, documentId, extensions }: Request,
): Requested | CodedError {
  const id = documentId ?? apolloId(extensions?.persistedQuery);
  if (id instanceof CodedError) return id;
  const named = id === undefined ? undefined : operations.byId(id);
  if (!query) {
    if (id === undefined)
      return new CodedError("BAD_REQUEST", "the request has neither a query nor the id of a saved operation");
    // clients look for this message
    if (!named) return new CodedError("PERSISTED_QUERY_NOT_FOUND", "PersistedQueryNotFound");
    return { text: named.text, saved: named };
  }
  const exact = operations.byText(query);
  if (
    id !== undefined &&
    (named === undefined || named !== exact) &&
    normalizeId(id) !== hash("sha256", query)
  )
    return new CodedError("PERSISTED_QUERY_HASH_MISMATCH", "the id is not that of the query");
  if (!savedOnly || exact) return { text: query, saved: exact };
  const { saved, text } = operations.inOtherFormat(query);
  if (saved) return { text, saved };
  return new CodedError("OPERATION_NOT_SAVED", "this server runs saved operations only (OPERATIONS=saved)");
}

/** Returns the id in the request; `undefined` if it is absent or malformed. */
export function requestedId({ documentId, extensions }: Request): string | undefined {
  const id = documentId ?? apolloId(extensions?.persistedQuery);
  return typeof id === "string" ? id : undefined;
}

function apolloId(persisted: unknown): string | undefined | CodedError {
  if (persisted === undefined || persisted === null) return undefined;
  const { version, sha256Hash } = membersOf(persisted);
  if (version !== 1 || typeof sha256Hash !== "string")
    return new CodedError("BAD_REQUEST", '"extensions.persistedQuery" must have version 1 and a sha256Hash');
  return sha256Hash;
}
