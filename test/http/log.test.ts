/** What a failure leaves in the log. */
import { expect, test, vi } from "vitest";
import { CodedError } from "../../src/errors.ts";
import { createServer } from "../../src/http/server.ts";
import { configure } from "../graphql/configure.ts";

test("a fault is logged; a refusal for overload is not, however often it is sent", async () => {
  const server = createServer(configure());
  const logged = vi.spyOn(server.log, "error").mockImplementation(() => {});
  const fail = (cause?: unknown) => () => {
    throw new CodedError("SERVICE_UNAVAILABLE", "not now", { retryAfter: 1 }, cause);
  };
  server.get("/busy", fail()).get("/broken", fail(new Error("down")));
  expect((await server.inject("/busy")).statusCode).toBe(503);
  expect(logged).not.toHaveBeenCalled();
  expect((await server.inject("/broken")).statusCode).toBe(503);
  expect(logged).toHaveBeenCalledTimes(1);
});
