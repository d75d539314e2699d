/**
 * Waits for services of other processes. `/readyz` is 503 until each was reached once, and one line says why.
 * An unreachable service is not fatal, so services may start in any order. A reached service is not watched any more: an
 * outage of one product must not take the other products out of service.
 */
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import type { Speaker } from "./speaker.ts";

const probeMs = 1_000;

/** Resolves after the first probe of each service; unreachable services are probed further. */
export async function watchUpstreams(
  front: FastifyInstance | undefined,
  config: Config,
  products: ReadonlySet<string>,
  say: Speaker,
): Promise<void> {
  if (!front) return;
  await Promise.all(
    needed(config, products).map(async ([variable, url]) => {
      const failure = await probe(url);
      if (failure === undefined) return;
      front.unready.add(`waiting for ${variable}`);
      say.warn(`${variable}: ${url.origin} cannot be reached (${failure}); not ready until it can`);
      void waitFor(front, variable, url, say);
    }),
  );
}

function needed({ roles, env, upstreams }: Config, products: ReadonlySet<string>): [string, URL][] {
  const urls: [string, URL | undefined][] = [];
  if (!roles.has("platform")) {
    urls.push(["REST_BASE_URL", env.REST_BASE_URL]);
    if (roles.has("gateway")) urls.push(["KEY_INTROSPECTION_URL", env.KEY_INTROSPECTION_URL]);
  }
  if (roles.has("graphql"))
    for (const [tag, url] of upstreams) if (products.has(tag)) urls.push([`REST_BASE_URL_${tag}`, url]);
  if (roles.has("gateway") && !roles.has("graphql")) urls.push(["GRAPHQL_URL", env.GRAPHQL_URL]);
  return urls.flatMap(([variable, url]): [string, URL][] => (url ? [[variable, url]] : []));
}

async function waitFor(front: FastifyInstance, variable: string, url: URL, say: Speaker): Promise<void> {
  while ((await probe(url)) !== undefined) await sleep(probeMs, undefined, { ref: false });
  front.unready.delete(`waiting for ${variable}`);
  say.info(`${variable}: reached${front.unready.size === 0 ? "; ready now" : ""}`);
}

/** Tries to connect. Resolves with the reason of a failure, or with `undefined`. */
function probe({ hostname, port, protocol }: URL): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect(
      Number(port) || (protocol === "https:" ? 443 : 80),
      hostname.replace(/[[\]]/g, ""),
    );
    const settle = (failure?: string): void => {
      socket.destroy();
      resolve(failure);
    };
    socket.setTimeout(probeMs, () => settle("ETIMEDOUT"));
    socket.once("connect", () => settle());
    socket.once("error", (error) => settle("code" in error ? String(error.code) : error.message));
  });
}
