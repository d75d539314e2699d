/** The metrics of outgoing calls take whatever a call fails with: a subscriber of undici's channels that throws ends the process. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fetch as undiciFetch } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { measureOutgoingCalls } from "../../../../src/engine/server/metrics/connection-metrics.ts";
import { MetricFamilies } from "../../../../src/engine/server/metrics/metric-families.ts";

const coded = Object.assign(new Error("left"), { code: "ELEFT" });
const numbered = Object.assign(new Error("left"), { code: 20 });
const ways: [name: string, abort: (controller: AbortController) => void, errorType: string][] = [
  [
    "its deadline",
    (controller) => controller.abort(new DOMException("late", "TimeoutError")),
    "TimeoutError",
  ],
  ["its client", (controller) => controller.abort(), "AbortError"],
  ["an error with a code", (controller) => controller.abort(coded), "ELEFT"],
  ["an error with a number as code", (controller) => controller.abort(numbered), "Error"],
  ["a text", (controller) => controller.abort("left"), "aborted"],
  ["null", (controller) => controller.abort(null), "AbortError"],
];

const families = new MetricFamilies();
measureOutgoingCalls(families);

for (const [client, fetched] of [
  ["Node's fetch", fetch],
  ["undici's fetch", undiciFetch],
] as const)
  test.each(ways)(`${client} that is aborted by %s is counted`, async (_name, abort, errorType) => {
    const controller = new AbortController();
    // Aborted once the request has arrived: a call that is aborted while it connects never becomes a request.
    const hanging = createServer(() => abort(controller));
    await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      hanging.closeAllConnections();
      hanging.close();
    });
    const { port } = hanging.address() as AddressInfo;
    await expect(fetched(`http://127.0.0.1:${port}/`, { signal: controller.signal })).rejects.toBeDefined();
    const counted = `server_port="${port}",http_response_status_code="",error_type="${errorType}"} 1`;
    await expect.poll(() => families.text(), { timeout: 2_000 }).toContain(counted);
  });
