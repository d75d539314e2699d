/** The graphql role in front of a REST that answers rightly, and what both were seen to do. */
import { expect } from "vitest";
import { api } from "../../../generated/index.ts";
import { inFrontOf, send } from "../../engine/runtime/graphql/rest-stand-in.ts";
import { sendRaw } from "../../support/raw-client.ts";
import { canary, judge } from "./judge.ts";
import { rightAnswer } from "./operations.ts";

/** Of a caller's headers these alone may travel on to REST; the rest is the HTTP client's own. */
const travelling =
  /^(x-api-key|authorization|traceparent|tracestate|accept-language|accept|x-request-id|idempotency-key|content-type|content-length|host|connection)$/;

export const credentials = `x-api-key: ${canary}-of-the-caller`;

export async function openRole(environment: NodeJS.ProcessEnv = {}) {
  const strange: string[] = [];
  const { url } = await inFrontOf(
    (request, response) => {
      const answer = rightAnswer(request.url ?? "");
      if (!answer) strange.push(`${request.method} ${request.url}`);
      strange.push(...Object.keys(request.headers).filter((name) => !travelling.test(name)));
      send(response, answer ?? {}, request.method === "POST" ? 201 : 200);
    },
    environment,
    api,
  );
  const port = Number(url.port);

  /** One request in bytes; `undefined` for a connection that is closed without an answer. */
  const request = async (bytes: Buffer, hangUp = false) => {
    const answer = await sendRaw(port, bytes, hangUp);
    const errors = answer && judge(answer);
    expect(strange, "what REST must never see").toEqual([]);
    return answer && { ...answer, errors };
  };

  /** A POST whose framing is right. */
  const post = async (body: Buffer, headers: readonly string[] = ["content-type: application/json"]) => {
    const lines = [
      "POST /v1/graphql HTTP/1.1",
      "host: a",
      credentials,
      `content-length: ${body.length}`,
      ...headers,
    ];
    const answer = await request(
      Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body]),
    );
    if (!answer) throw new Error("no answer");
    return answer;
  };
  return { request, post };
}
