/**
 * Finds the text of a request's document: the request's own text, or the text of a saved operation by its id. An id has
 * two forms: `documentId` (GraphQL over HTTP, appendix A "Persisted Documents") and `extensions.persistedQuery` (Apollo's
 * automatic persisted queries). An unknown id gets Apollo's error, after which clients send the text. A client's text is
 * never stored.
 */
import { hash } from "node:crypto";
import type { GraphQLRequest } from "@apollo/server";
import { CodedError } from "../../errors.ts";
import { membersOf } from "../../standards/json-object.ts";
import type { SavedOperations } from "./saved-operations.ts";

export type Request = GraphQLRequest & { readonly documentId?: string | undefined };

/** Returns a `CodedError` for an unknown id, for another text's id and, with `savedOnly`, for a text that is not saved. */
export function requestedText(
  saved: SavedOperations,
  savedOnly: boolean,
  { query, documentId, extensions }: Request,
): string | CodedError {
  const id = documentId === undefined ? apolloId(extensions?.persistedQuery) : plainId(documentId);
  if (id instanceof CodedError) return id;
  if (!query) {
    if (id === undefined)
      return new CodedError("BAD_REQUEST", "the request has neither a query nor the id of a saved operation");
    const text = saved.text(id);
    // clients match this message
    if (text === undefined) return new CodedError("PERSISTED_QUERY_NOT_FOUND", "PersistedQueryNotFound");
    return text;
  }
  if (id === undefined && !savedOnly) return query;
  const digest = hash("sha256", query);
  if (id !== undefined && id !== digest)
    return new CodedError("PERSISTED_QUERY_HASH_MISMATCH", "the id is not the SHA-256 digest of the query");
  if (savedOnly && saved.text(digest) === undefined)
    return new CodedError("OPERATION_NOT_SAVED", "this server runs saved operations only (OPERATIONS=saved)");
  return query;
}

/** The digest in a document id. The prefix `sha256:` is optional. */
const plainId = (documentId: string): string => documentId.replace(/^sha256:/, "");

function apolloId(persisted: unknown): string | undefined | CodedError {
  if (persisted === undefined || persisted === null) return undefined;
  const { version, sha256Hash } = membersOf(persisted);
  if (version !== 1 || typeof sha256Hash !== "string")
    return new CodedError("BAD_REQUEST", '"extensions.persistedQuery" must have version 1 and a sha256Hash');
  return sha256Hash;
}
