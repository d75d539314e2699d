/**
 * Remembers the responses to documents that the parser or the validation refused, so a refused document costs its parsing
 * and validation once. The total size is bounded: the least recently used responses go first.
 */
import { hash } from "node:crypto";
import type { GraphQLResponse } from "@apollo/server";
import { LRUCache } from "lru-cache";
import { cachedRefusalCharacters } from "../../capacity.ts";
import type { RequestContext } from "../request-context.ts";

/** Characters for a response's key and headers. */
const overhead = 500;

type Execute = (context: RequestContext) => Promise<GraphQLResponse>;

export class Refusals {
  readonly #known = new LRUCache<string, GraphQLResponse>({
    maxSize: cachedRefusalCharacters,
    sizeCalculation: ({ body }) => JSON.stringify(body).length + overhead,
  });

  async answer(query: string, context: RequestContext, execute: Execute): Promise<GraphQLResponse> {
    const key = hash("sha256", query);
    const known = this.#known.get(key);
    if (known) return known;
    const document = { refused: false };
    const response = await execute({ ...context, document });
    if (document.refused) this.#known.set(key, response);
    return response;
  }
}

/** Creates Apollo's hook for the end of parsing and of validation. An error marks the document as refused. */
export const noteRefusal =
  ({ document }: RequestContext) =>
  async (failure: unknown): Promise<void> => {
    if (failure && document) document.refused = true;
  };
