/**
 * Remembers the responses to documents that the parser or the validation refused, so a refused document costs its parsing
 * and validation once. The total size is bounded: the least recently used responses go first.
 */
import type { GraphQLResponse } from "@apollo/server";
import { LRUCache } from "lru-cache";
import { cachedRefusalCharacters } from "../../settings/capacity.ts";
import type { RequestContext } from "../request-context.ts";

/** Characters for a response's headers. */
const overhead = 500;

/** The refused documents' texts, with the responses. */
export class Refusals extends LRUCache<string, GraphQLResponse> {
  constructor() {
    super({
      maxSize: cachedRefusalCharacters,
      sizeCalculation: ({ body }, query) => JSON.stringify(body).length + query.length + overhead,
    });
  }
}

/** Creates Apollo's hook for the end of parsing and of validation. An error marks the document as refused. */
export const noteRefusal =
  ({ document }: RequestContext) =>
  async (failure: unknown): Promise<void> => {
    if (failure && document) document.refused = true;
  };
