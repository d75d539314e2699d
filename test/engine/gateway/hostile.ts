/**
 * One table of hostile requests, as bytes on a socket, to be run against any front: the embedded gateway, nginx.
 * A front passes when each answer is as clean as the row says and no handler behind it ever saw `evil`, the mark
 * that every smuggled value carries, under a name that is the gateway's to set, nor any path but one under `/v1/`.
 */
import net from "node:net";
import { credentials } from "./hostile/credentials.ts";
import { framing } from "./hostile/framing.ts";
import { headers, proof } from "./hostile/headers.ts";
import { type Front, type Hostile, mark } from "./hostile/request.ts";
import { targets } from "./hostile/targets.ts";

export const hostileRequests: readonly Hostile[] = [...headers, ...credentials, ...targets, ...framing];

export type Reply = { status: number; type: string; text: string };

/** Sends one row's bytes and reads until the front closes, or for a second; `status` 0 means it only closed. */
export function send(front: Front, row: Hostile): Promise<Reply> {
  const bytes = row.bytes({ prefix: "X-Service-", ...front });
  return new Promise((resolve) => {
    const socket = net.connect(Number(front.url.port || 80), front.url.hostname, () =>
      socket.write(bytes, "latin1"),
    );
    let text = "";
    socket.setEncoding("latin1");
    socket.setTimeout(60_000, () => socket.destroy()); // a busy machine is slow
    socket.on("data", (data) => {
      text += data;
      socket.setTimeout(1_000); // a second response would be a smuggled one
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(readReply(text)));
  });
}

const readReply = (text: string): Reply => ({
  status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
  type: /^content-type: *([^;\r\n]*)/im.exec(text)?.[1] ?? "",
  text,
});

/** What a handler behind the front saw that it must not see; empty when all is well. */
export function findLeaks(front: Front, url: string, rawHeaders: readonly string[]): string[] {
  const prefix = (front.prefix ?? "X-Service-").toLowerCase();
  const leaks = url.startsWith("/v1/") && !url.includes("..") ? [] : [`path ${url}`];
  const counts = new Map<string, number>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = [rawHeaders[at]?.toLowerCase(), rawHeaders[at + 1]];
    const plain = name.replace(/[^a-z0-9]/g, "-");
    if (!plain.startsWith(prefix) && plain !== proof.toLowerCase()) {
      if (value.includes(mark)) leaks.push(`${name}: ${value}`);
      continue;
    }
    counts.set(plain, (counts.get(plain) ?? 0) + 1);
    if (name !== plain || value.includes(mark)) leaks.push(`${name}: ${value}`);
  }
  for (const [name, count] of counts) if (count > 1) leaks.push(`${name} ${count} times`);
  return leaks;
}
