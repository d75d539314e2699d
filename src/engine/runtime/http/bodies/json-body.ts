/**
 * Parses JSON bodies with a limited number of values. Otherwise, a body of 1 MiB could contain 90,000 member names: `JSON.parse`
 * would take 45 ms, and 20 times the text's memory.
 */
import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { countValues } from "../../../shared/json-values.ts";
import { CodedError } from "../../coded-error.ts";
import { valuesPerRequest } from "../../settings/capacity.ts";

type ParseJson = (request: FastifyRequest, text: string) => unknown;

/** The parser throws `BAD_USER_INPUT` for too many values. For invalid JSON, it throws the same errors as Fastify's parser. */
export function jsonParser(server: FastifyInstance, mostValues = valuesPerRequest): ParseJson {
  // `__proto__` is a valid variable name, and harmless because members are never copied by assignment
  const parse = server.getDefaultJsonParser("ignore", "ignore");
  return (request, text) => {
    if (text.length > mostValues && countValues(text, mostValues) > mostValues)
      throw new CodedError("BAD_USER_INPUT", `a request body may hold at most ${mostValues} values`);
    let parsed: unknown;
    parse(request, text, (error, value) => {
      if (error) throw error;
      parsed = value;
    });
    return parsed;
  };
}

export function parseJsonBodies(server: FastifyInstance): void {
  const parse = jsonParser(server);
  server.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (request: FastifyRequest, body: Buffer) => parse(request, utf8Text(body)),
  );
}

/** Passes all bodies to the route handlers as bytes. */
export function leaveBodiesUnparsed(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
}

export function leaveJsonUnparsed(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (_request: FastifyRequest, body: Buffer) => utf8Text(body),
  );
}

/** JSON is UTF-8 (RFC 8259 §8.1). A lenient decoder would change invalid bytes to U+FFFD, and REST would store the result. */
function utf8Text(body: Buffer): string {
  if (!isUtf8(body)) throw new CodedError("BAD_REQUEST", "the request body is not UTF-8");
  return body.toString();
}
