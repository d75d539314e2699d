/** A product of the demo platform whose responses wait until the test lets them through. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type Layer, openLayer } from "./e2e/layer.ts";

type SlowAgents = {
  readonly layer: Layer;
  /** Lets the product's responses through. */
  readonly open: () => void;
};

/** Opens a layer whose product AI waits for `open`. */
export async function openWithSlowAgents(environment: NodeJS.ProcessEnv = {}): Promise<SlowAgents> {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  let platform = "";
  const product = createServer(async ({ url = "", headers }, response) => {
    await opened;
    const answer = await fetch(platform + url, { headers: { "x-api-key": String(headers["x-api-key"]) } });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void product.close());
  await once(product, "listening");
  const { port } = product.address() as AddressInfo;
  const layer = await openLayer([], { REST_BASE_URL_AI: `http://127.0.0.1:${port}`, ...environment });
  platform = layer.url.origin;
  return { layer, open };
}
