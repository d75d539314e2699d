/** Compressed responses: their bytes count while they are decompressed, and the work is their caller's. */
import { brotliCompressSync } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import { PresentCallers } from "../../../../src/engine/runtime/governor/caller.ts";
import { FairSemaphore } from "../../../../src/engine/runtime/governor/fair-semaphore.ts";
import { FairShare } from "../../../../src/engine/runtime/governor/processor-share.ts";
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

test("a decompressed response that does not fit what the process has left is refused on its way", async () => {
  const { request, upstreams } = await against((socket) => void socket.write(answered), {
    CALL_TIMEOUT_MS: "10000",
  });
  const { bytes } = upstreams.shares;
  bytes.add(new PresentCallers().enter("other"), bytes.total - 8_000_000);
  const held: number[] = [];
  const { reserve } = RequestScope.prototype;
  const counted = vi.spyOn(RequestScope.prototype, "reserve").mockImplementation(function (
    this: RequestScope,
    ...pieceOfBody
  ) {
    const failure = reserve.apply(this, pieceOfBody);
    held.push(bytes.used);
    return failure;
  });
  onTestFinished(() => counted.mockRestore());
  for (const one of await calls(request, 12))
    expect(one).toMatchObject({ status: "rejected", reason: { code: "SERVICE_UNAVAILABLE" } });
  expect(Math.max(...held)).toBeLessThanOrEqual(bytes.total);
  // each was stopped on its way, long before it was complete
  const largest = Math.max(...counted.mock.calls.map(([piece]) => piece));
  expect(largest).toBeLessThan(1_000_000);
  expect(bytes.used).toBe(bytes.total - 8_000_000);
});

test("the processor time of a large one is charged, also if it is refused", async () => {
  const worked = vi.spyOn(FairShare.prototype, "charge");
  onTestFinished(() => worked.mockRestore());
  const { request } = await against((socket) => void socket.write(answered), { CALL_TIMEOUT_MS: "10000" });
  await calls(request, 1);
  const charged = worked.mock.calls.reduce((sum, [, ms]) => sum + ms, 0);
  expect(charged).toBeGreaterThan(9_000_000 / 220_000);
});

test("four are decompressed at the same time, because each decoder holds up to 16 MB beside its output", async () => {
  let running = 0;
  let most = 0;
  let count = 0;
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
