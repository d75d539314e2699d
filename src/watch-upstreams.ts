/**
 * Services that must be there but are started by someone else: until each has been reached once, `/readyz` says 503
 * and one line says why. Not fatal, so that services may start in any order; and not watched afterwards, because a
 * product that goes down later must not take the others off the air.
 */
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { products } from "./boot-check.ts";
import type { Config } from "./config.ts";

const probeMs = 1_000;

/** Resolves after the first look at each; goes on looking at those that could not be reached. */
export async function watchUpstreams(
  front: FastifyInstance | undefined,
  config: Config,
  say: (line: string) => void,
): Promise<void> {
  if (!front) return;
  await Promise.all(
    needed(config).map(async ([variable, url]) => {
      const failure = await probe(url);
      if (failure === undefined) return;
      front.unready.add(`waiting for ${variable}`);
      say(`${variable}: ${url.origin} cannot be reached (${failure}); not ready until it can`);
      void waitFor(front, variable, url, say);
    }),
  );
}

function needed({ roles, env, upstreams }: Config): [string, URL][] {
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

async function waitFor(
  front: FastifyInstance,
  variable: string,
  url: URL,
  say: (line: string) => void,
): Promise<void> {
  while ((await probe(url)) !== undefined) await sleep(probeMs, undefined, { ref: false });
  front.unready.delete(`waiting for ${variable}`);
  say(`${variable}: reached`);
}

/** Whether something accepts connections there: nothing, or the reason why not. */
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
