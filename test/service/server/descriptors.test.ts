/** A process with few descriptors (`ulimit -n`) keeps some for its upstreams, whoever opens connections to it. */
import net from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { connectionsOf } from "../../../src/engine/runtime/http/connections.ts";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { listens, main, startProgram } from "../../support/child-process.ts";
import { patient } from "../../support/patient.ts";
import { query } from "./program.ts";

test("an address with more idle connections than the process has descriptors keeps no other out", async () => {
  const program = startProgram([main], patient, { descriptors: 256 });
  onTestFinished(() => program.stop());
  const url = await listens(program);
  let open = 0;
  for (let each = 0; each < 300; each++) {
    const socket = net.connect({ host: url.hostname, port: Number(url.port), localAddress: "127.0.0.2" });
    onTestFinished(() => void socket.destroy());
    socket.on("connect", () => open++).on("error", () => {});
    socket.on("close", () => open--);
  }
  await expect.poll(() => open, { interval: 200 }).toBe(28);
  const key = demoKeys[0]?.key ?? "";
  expect(await query(url, "{ me { id } }", key)).toEqual({ data: { me: { id: demoKeys[0]?.user } } });
  expect(program.output()).toContain("too many connections: an idle one is closed");
});

test("the servers of a process share a third of its descriptors, with at most 4,096 connections each", () => {
  expect(connectionsOf(1, 1_024)).toBe(341);
  expect(connectionsOf(3, 1_024)).toBe(113);
  expect(connectionsOf(1, 1_048_576)).toBe(4_096);
  expect(connectionsOf(3, Number.POSITIVE_INFINITY)).toBe(4_096);
});
