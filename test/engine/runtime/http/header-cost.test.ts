/** What a client's longest headers cost, beside an answer that needs no execution. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import type { SharedResponse } from "../../../../src/engine/runtime/graphql/response-cache/shared-response.ts";
import { setClientCaching } from "../../../../src/engine/runtime/graphql/response-cache/shared-response.ts";
import { json, mediaTypeFor } from "../../../../src/engine/runtime/http/graphql-media-type.ts";
import { processorMs } from "../../../support/cost.ts";

const long = (part: string): string => part.repeat(Math.floor(16_000 / part.length));

/** Processor time of many runs. */
const costOf = (run: () => unknown): Promise<number> =>
  processorMs(() => {
    for (let count = 0; count < 100; count++) run();
  }, 9);

/** What reads a list reads it at least so: from comma to comma. */
const split = (header: string) => (): unknown => header.split(",").map((part) => part.trim());

test.each([long("a/b,"), long("*/*;q=0.1,"), long(",")])(
  "a long Accept is disregarded: %.9s…",
  async (accept) => {
    expect(mediaTypeFor(accept)).toBe(json);
    expect(await costOf(() => mediaTypeFor(accept))).toBeLessThan((await costOf(split(accept))) / 2);
  },
);

test.each([long(","), long('"a",'), long("W/,")])(
  "a long If-None-Match is searched once: %.9s…",
  async (tags) => {
    const reply = { getHeader: () => undefined, header: () => reply } as unknown as FastifyReply;
    const answer = { tag: 'W/"abc"', cacheControl: "private, no-cache" } as SharedResponse;
    const isKept = (given: string): boolean =>
      setClientCaching(
        { headers: { "if-none-match": given } } as unknown as FastifyRequest,
        reply,
        answer,
        [],
      );
    expect([isKept(tags), isKept(`${tags}"abc"`)]).toEqual([false, true]);
    expect(await costOf(() => isKept(tags))).toBeLessThan((await costOf(split(tags))) / 2);
  },
);
