/**
 * The texts of answers to queries. An answer is kept for as long as REST allows to use each response that it is made of,
 * for its caller alone, beside those responses: a write drops both. So whoever asks the same again gets the same text
 * without an execution.
 */
import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { RequestRecord } from "../observe/records.ts";
import type { CallerCache } from "../rest/cache/caller-cache.ts";
import type { Forwarded } from "../rest/forwarded.ts";

/** Bytes of an entry beside its texts. */
const overhead = 1_000;

/** The text of an answer without errors. */
export class Answer {
  readonly text: string;
  /** Until when it may be used again, on the clock of `performance.now`. */
  readonly freshUntil: number;
  #tag: string | undefined;

  constructor(text: string, freshUntil: number) {
    this.text = text;
    this.freshUntil = freshUntil;
  }

  /** Whole seconds for which it may be used again. */
  get freshSeconds(): number {
    return Math.max(Math.floor((this.freshUntil - performance.now()) / 1_000), 0);
  }

  /** Its entity tag (RFC 9110 §8.8.3). It is weak, because a response may be compressed. */
  get tag(): string {
    this.#tag ??= `W/"${hash("sha256", this.text, "base64url")}"`;
    return this.#tag;
  }
}

class KeptAnswer {
  readonly answer: Answer;
  readonly size: number;
  readonly operation: RequestRecord["operation"];
  readonly givenName: string | undefined;

  constructor(answer: Answer, question: string, { operation, givenName }: RequestRecord) {
    this.answer = answer;
    this.size = 2 * (answer.text.length + question.length) + overhead;
    this.operation = operation;
    this.givenName = givenName;
  }
}

export class KeptAnswers {
  readonly #cache: CallerCache;

  constructor(cache: CallerCache) {
    this.#cache = cache;
  }

  /** The answer to the same request, if it is fresh. Its operation is noted in the record. */
  find(request: FastifyRequest, { identity }: Forwarded): Answer | undefined {
    const kept = this.#cache.get(identity, questionOf(request));
    if (!(kept instanceof KeptAnswer) || kept.answer.freshUntil <= performance.now()) return undefined;
    request.record.operation = kept.operation;
    request.record.givenName = kept.givenName;
    return kept.answer;
  }

  /** Keeps an answer, if REST allows it. */
  keep(request: FastifyRequest, { identity }: Forwarded, answer: Answer): void {
    if (answer.freshSeconds === 0) return;
    const question = questionOf(request);
    const { record } = request;
    this.#cache.set(identity, question, new KeptAnswer(answer, question, record), record.beganAt);
  }
}

/** All of a request that its answer without errors depends on, beside its caller. No line break stands in a URL or in a language. */
function questionOf({ method, url, body, headers }: FastifyRequest): string {
  const text = typeof body === "string" ? body : "";
  return `${method} ${url}\n${headers["accept-language"] ?? ""}\n${text}`;
}
