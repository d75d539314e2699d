/** Compressed responses: their bytes count while they are decompressed, and the work is their caller's. */
import { brotliCompressSync } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import { FairSemaphore } from "../../../../src/engine/runtime/governor/fair-semaphore.ts";
import { FairShare } from "../../../../src/engine/runtime/governor/fair-share.ts";
import { RequestScope } from "../../../../src/engine/runtime/rest/request-scope.ts";
import { decompressedAtOnce } from "../../../../src/engine/runtime/settings/capacity.ts";
import { against } from "../rest/client.ts";
import { http } from "../rest/raw-server.ts";

/** 30 bytes that hold 9 MB. */
const bomb = brotliCompressSync("a".repeat(9_000_000));
const answered = http(200, bomb, { "content-encoding": "br" });

const calls = (request: Awaited<ReturnType<typeof against>>["request"], count: number) =>
  Promise.allSettled(
    Array.from({ length: count }, (_, index) =>
      request().get("/things/{thingId}", { path: { thingId: `${index}` } }),
    ),
  );

test("however many are decompressed at the same time, they hold no more than the budget of the process", async () => {
  const hold = vi.spyOn(RequestScope.prototype, "hold");
  onTestFinished(() => hold.mockRestore());
  const { request } = await against((socket) => void socket.write(answered), { CALL_TIMEOUT_MS: "10000" });
  const settled = await calls(request, 12);
  const refused = settled.filter(
    (one) => one.status === "rejected" && one.reason.code === "SERVICE_UNAVAILABLE",
  );
  // on a slow machine one ends before the next begins, and fewer are refused
  expect(refused.length).toBeGreaterThan(0);
  // each was stopped on its way, long before it was complete
  const largest = Math.max(...hold.mock.calls.map(([bytes]) => bytes));
  expect(largest).toBeLessThan(1_000_000);
});

test("the processor time of a large one is charged, also if it is refused", async () => {
  const worked = vi.spyOn(FairShare.prototype, "worked");
  onTestFinished(() => worked.mockRestore());
  const { request } = await against((socket) => void socket.write(answered), { CALL_TIMEOUT_MS: "10000" });
  await calls(request, 1);
  const charged = worked.mock.calls.reduce((sum, [, ms]) => sum + ms, 0);
  expect(charged).toBeGreaterThan(9_000_000 / 220_000);
});

test("four are decompressed at the same time, because each decoder holds up to 16 MB beside its output", async () => {
  let [running, most, count] = [0, 0, 0];
  const { run } = FairSemaphore.prototype;
  const counted = vi.spyOn(FairSemaphore.prototype, "run").mockImplementation(function (
    this: FairSemaphore,
    caller,
    work: () => Promise<unknown>,
  ) {
    return run.call(this, caller, async () => {
      most = Math.max(most, ++running);
      count++;
      return work().finally(() => running--);
    });
  });
  onTestFinished(() => counted.mockRestore());
  const { request } = await against((socket) => void socket.write(answered), { CALL_TIMEOUT_MS: "10000" });
  await calls(request, 12);
  expect([decompressedAtOnce, count]).toEqual([4, 12]);
  expect(most).toBeLessThanOrEqual(4);
});
