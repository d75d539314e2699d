/** What a client's longest headers cost, beside an answer that needs no execution. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import type { Answer } from "../../src/engine/graphql/answers/answer.ts";
import { letClientKeep } from "../../src/engine/graphql/client-cache.ts";
import { json, mediaTypeFor } from "../../src/engine/http/graphql-media-type.ts";
import { startWork } from "../../src/engine/rest/shares/processor-time.ts";

const long = (part: string): string => part.repeat(Math.floor(16_000 / part.length));

/** Processor time of 20 runs, in ms. The least of five, so that what else this process does counts for nothing. */
function costOf(run: () => unknown): number {
  const costs = Array.from({ length: 5 }, () => {
    const workedMs = startWork();
    for (let count = 0; count < 20; count++) run();
    return workedMs();
  });
  return Math.min(...costs);
}

test.each([long("a/b,"), long("*/*;q=0.1,"), long(",")])("a long Accept is disregarded: %.9s…", (accept) => {
  expect(mediaTypeFor(accept)).toBe(json);
  expect(costOf(() => mediaTypeFor(accept))).toBeLessThan(5); // 11 to 46 when it was read
});

test.each([long(","), long('"a",'), long("W/,")])("a long If-None-Match is searched once: %.9s…", (tags) => {
  const reply = { getHeader: () => undefined, header: () => reply } as unknown as FastifyReply;
  const answer = { tag: 'W/"abc"', cacheControl: "private, no-cache" } as Answer;
  const isKept = (given: string): boolean =>
    letClientKeep({ headers: { "if-none-match": given } } as unknown as FastifyRequest, reply, answer, []);
  expect([isKept(tags), isKept(`${tags}"abc"`)]).toEqual([false, true]);
  expect(costOf(() => isKept(tags))).toBeLessThan(3); // 6 to 20 when it was split
});
