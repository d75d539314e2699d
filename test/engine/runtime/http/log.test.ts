/** What a failure leaves in the log. */
import { expect, onTestFinished, test, vi } from "vitest";
import { CodedError } from "../../../../src/engine/runtime/coded-error.ts";
import { proofHeader } from "../../../../src/engine/runtime/http/gateway-proof.ts";
import { createServer } from "../../../../src/engine/runtime/http/server.ts";
import { configure } from "../graphql/configure.ts";

test("a fault of ours is logged with its stack; a coded error is not", async () => {
  const server = createServer(configure());
  const logged = vi.spyOn(server.log, "error").mockImplementation(() => {});
  const fail = (error: Error) => () => {
    throw error;
  };
  const busy = new CodedError(
    "SERVICE_UNAVAILABLE",
    "not now",
    { retryAfter: 1 },
    { cause: new Error("down") },
  );
  server.get("/busy", fail(busy)).get("/broken", fail(new TypeError("a fault")));
  expect((await server.inject("/busy")).statusCode).toBe(503);
  expect(logged).not.toHaveBeenCalled();
  expect((await server.inject("/broken")).statusCode).toBe(500);
  expect(logged).toHaveBeenCalledTimes(1);
});

test("a flood of faults is 20 lines with a stack, and a line that counts the others", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const server = createServer(configure());
  const logged = vi.spyOn(server.log, "error").mockImplementation(() => {});
  const counted = vi.spyOn(server.log, "warn").mockImplementation(() => {});
  server.get("/broken", () => {
    throw new TypeError("a fault");
  });
  for (let index = 0; index < 50; index++) expect((await server.inject("/broken")).statusCode).toBe(500);
  expect(logged).toHaveBeenCalledTimes(20);
  vi.advanceTimersByTime(60_000);
  const kinds = counted.mock.calls.map(([fields]) => fields);
  expect(kinds).toContainEqual(expect.objectContaining({ code: "INTERNAL_SERVER_ERROR", count: 50 }));
});

test("a graphql role that is sent another proof than its own says so once a minute", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const server = createServer(configure({ GATEWAY_SECRET: "the-secret-of-this-role-of-a-test" }), "graphql");
  const said = vi.spyOn(server.log, "warn").mockImplementation(() => {});
  const send = () => server.inject({ url: "/healthz", headers: { [proofHeader]: "another" } });
  for (let index = 0; index < 3; index++) await send();
  expect(said.mock.calls).toEqual([[expect.stringMatching(/^GATEWAY_SECRET: is not the gateway's/)]]);
  vi.advanceTimersByTime(60_000);
  expect(said.mock.lastCall).toEqual([
    { role: "graphql", reason: "wrong proof", count: 3, written: 1 },
    "a minute's failures",
  ]);
  await send();
  expect(said).toHaveBeenCalledTimes(3);
});
