/** What a failure leaves in the log. */
import { expect, test, vi } from "vitest";
import { CodedError } from "../../src/errors.ts";
import { createServer } from "../../src/http/server.ts";
import { configure } from "../graphql/configure.ts";

test("a fault of ours is logged with its stack; a coded error is not", async () => {
  const server = createServer(configure());
  const logged = vi.spyOn(server.log, "error").mockImplementation(() => {});
  const fail = (error: Error) => () => {
    throw error;
  };
  const busy = new CodedError("SERVICE_UNAVAILABLE", "not now", { retryAfter: 1 }, new Error("down"));
  server.get("/busy", fail(busy)).get("/broken", fail(new TypeError("a fault")));
  expect((await server.inject("/busy")).statusCode).toBe(503);
  expect(logged).not.toHaveBeenCalled();
  expect((await server.inject("/broken")).statusCode).toBe(500);
  expect(logged).toHaveBeenCalledTimes(1);
});
