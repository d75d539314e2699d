/** A REST platform that costs next to nothing, in a thread of its own: what is asked for is there already. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

const contact = (id: number): object => ({
  id: `con_${id}`,
  name: `Contact ${id}`,
  email: `contact${id}@example.com`,
  phoneNumber: null,
  company: "Example",
  stage: "customer",
  ownerId: null,
  tags: ["a", "b"],
  createdAt: "2026-11-21T00:00:00Z",
  lastSeenAt: null,
});
const profile = { id: "1", email: "a@b.example", tenantId: "t", roles: [], permissions: [], features: [] };
const contacts = JSON.stringify({ items: Array.from({ length: 100 }, (_, id) => contact(id)) });

const server = createServer((request, response) => {
  const body = request.url?.includes("contacts") ? contacts : JSON.stringify(profile);
  const head = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const answer = (): void => void response.writeHead(200, head).end(body);
  if (workerData.delayMs > 0) setTimeout(answer, workerData.delayMs);
  else answer();
}).listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));
