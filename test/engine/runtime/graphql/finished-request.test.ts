/** A finished request lets go of what was made for it, although its connection stays open. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Agent, request as call } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { RequestScope } from "../../../../src/engine/runtime/rest/request-scope.ts";
import { inFrontOf, me, send } from "./rest-stand-in.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Sends a query on a connection that stays open. Resolves with the weak references to what `RequestScope.read` took in. */
async function finished(): Promise<{ scopes: WeakRef<object>[]; responses: WeakRef<object>[] }> {
  const kept = { scopes: [] as WeakRef<object>[], responses: [] as WeakRef<object>[] };
  const { read } = RequestScope.prototype;
  RequestScope.prototype.read = function (response, isRead) {
    kept.scopes.push(new WeakRef(this));
    kept.responses.push(new WeakRef(response));
    return read.call(this, response, isRead);
  };
  onTestFinished(() => {
    RequestScope.prototype.read = read;
  });
  const { url } = await inFrontOf((_request, response) => send(response, me));
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const headers = { "content-type": "application/json", "x-api-key": "key" };
  const text = await new Promise<string>((resolve, reject) => {
    const sent = call(url, { agent, method: "POST", headers }, (response) => {
      response.setEncoding("utf8").on("data", (chunk: string) => resolve(chunk));
    });
    sent.on("error", reject).end('{"query":"{ me { id } }"}');
  });
  expect(JSON.parse(text)).toEqual({ data: { me: { id: "1" } } });
  return kept;
}

const left = (references: readonly WeakRef<object>[]): number => {
  collect();
  return references.filter((reference) => reference.deref()).length;
};

test("an idle connection keeps nothing of its last request", async () => {
  const { scopes } = await finished();
  expect(scopes).toHaveLength(1);
  await expect.poll(() => left(scopes)).toBe(0);
});

test("a response that is still referred to keeps no REST response", async () => {
  const pinned: unknown[] = [];
  const pin = (message: unknown): void => void pinned.push(message);
  subscribe("http.server.request.start", pin);
  onTestFinished(() => void unsubscribe("http.server.request.start", pin));
  const { responses } = await finished();
  expect(responses).toHaveLength(1);
  await expect.poll(() => left(responses)).toBe(0);
  expect(pinned).not.toHaveLength(0);
});
