/** Clients of mixed manners. Each sends one request and is gone when its promise resolves. */
import { request as call } from "node:http";
import net from "node:net";
import type { Random } from "../../support/random.ts";
import { anyRequest, type Sent } from "./requests.ts";

/** Resolves with the status and the body that the client has read to its end, or `undefined`. */
type Client = (
  url: URL,
  key: string,
  random: Random,
) => Promise<{ status: number; text: string } | undefined>;

const open = (url: URL, key: string, { method, path, headers }: Sent) =>
  call(new URL(path, url), { method, headers: { ...headers, "x-api-key": key }, agent: false });

/** Leaves after `ms` at the latest. */
const reads =
  (ms: (random: Random) => number): Client =>
  (url, key, random) =>
    new Promise((resolve) => {
      const sent = anyRequest(random);
      const request = open(url, key, sent);
      const timer = setTimeout(() => request.destroy(), ms(random));
      request
        .on("error", () => {})
        .once("close", () => {
          clearTimeout(timer);
          resolve(undefined);
        });
      request.once("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("error", () => {});
        response.once("end", () => resolve({ status: response.statusCode ?? 0, text }));
      });
      request.end(sent.body);
    });

export const polite = reads(() => 60_000);
export const leaving = reads((random) => random.pick([2, 20, 65, 250]) * random.next() + 1);

/** Its body never ends. */
const halfBody: Client = (url, key, random) =>
  new Promise((resolve) => {
    const body = '{"query":"{ me { id } }"';
    const headers = { "content-type": "application/json", "content-length": "5000" };
    const request = open(url, key, { method: "POST", path: "/v1/graphql", body, headers });
    request.on("error", () => {}).once("close", () => resolve(undefined));
    request.write(body);
    setTimeout(() => request.destroy(), 500 * random.next());
  });

/** Reads the head of the answer, and no more for a while. */
const slowReader: Client = (url, key, random) =>
  new Promise((resolve) => {
    const sent = anyRequest(random);
    const request = open(url, key, sent);
    request.on("error", () => {}).once("close", () => resolve(undefined));
    request.once("response", (response) => {
      response.on("error", () => {}).pause();
      setTimeout(() => request.destroy(), 1_000 * random.next());
    });
    request.end(sent.body);
  });

/** Sends eight requests without a wait, and leaves. */
const pipelined: Client = (url, key, random) =>
  new Promise((resolve) => {
    const socket = net.connect(Number(url.port), url.hostname);
    socket.on("error", () => {}).once("close", () => resolve(undefined));
    for (const { method, path, body, headers } of random.times(8, () => anyRequest(random))) {
      const fields = Object.entries({
        ...headers,
        "x-api-key": key,
        "content-length": Buffer.byteLength(body),
      });
      const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
      socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: a\r\n${method === "GET" ? head.replace(/content-length.*/, "X-A: b") : head}\r\n${body}`,
      );
    }
    setTimeout(() => socket.resume(), 200 * random.next());
    setTimeout(() => socket.destroy(), 400 + 400 * random.next());
  });

export const manners: readonly Client[] = [polite, polite, leaving, leaving, halfBody, slowReader, pipelined];
