/** docs/guides/front-end.md, "Rehearse what may happen": each way to start the server does what the page says. */
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as runKeys } from "../../../src/platform/keys/keys-cli.ts";
import { makeConsumer, temporaryFolder } from "../../service/clients/consumer.ts";
import { keys, openLayer } from "../../service/e2e/layer.ts";
import { startProgram } from "../../support/child-process.ts";
import { freePort } from "../../support/free-port.ts";
import { blocksOf, read, tableOf } from "./page.ts";

const section =
  read("docs/guides/front-end.md").split("## Rehearse what may happen")[1]?.split("\n## ")[0] ?? "";
const rows = new Map(tableOf(section, "what").map(([what = "", server = ""]) => [what, server]));

/** The variables before `npm start`. */
function environmentOf(what: string): Record<string, string> {
  const [, line = ""] = /`([^`]*) npm start`/.exec(rows.get(what) ?? "") ?? [];
  return Object.fromEntries(line.split(" ").map((each) => each.split(/=(.*)/s).slice(0, 2)));
}

const query = "{ agents { id } contacts { id } }";

test("a product that is down: its fields are null, and the others answer", async () => {
  const { ask } = await openLayer([], environmentOf("a product is down"));
  const { data, errors } = await ask(query);
  expect(data).toMatchObject({ agents: null, contacts: expect.arrayContaining([]) });
  expect(errors).toMatchObject([{ path: ["agents"], extensions: { code: "UPSTREAM_UNAVAILABLE" } }]);
});

/** Runs `examples/clients/faulty.mjs` in front of an address, as a row's text says; returns its address. */
async function startFaulty(what: string, target: string): Promise<string> {
  const [, options = ""] =
    /`node examples\/clients\/faulty\.mjs ?([^`]*)` beside it/.exec(rows.get(what) ?? "") ?? [];
  const address = `127.0.0.1:${await freePort()}`;
  const text = read("examples/clients/faulty.mjs");
  const consumer = await makeConsumer();
  const [, port = ""] = address.split(":");
  consumer.write("faulty.mjs", text.replace("127.0.0.1:4000", target).replace("4001", port));
  const program = startProgram([join(consumer.folder, "faulty.mjs"), ...options.split(" ").filter(Boolean)]);
  onTestFinished(() => program.stop());
  const isListening = async (): Promise<boolean> => {
    const socket = connect(Number(port), "127.0.0.1");
    const reached = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    return reached;
  };
  await expect.poll(isListening).toBe(true);
  return address;
}

test("a slow product: the answer comes late, and is whole", async () => {
  const port = await freePort();
  const platform = `127.0.0.1:${port}`;
  const address = await startFaulty("a slow product", platform);
  const { ask } = await openLayer([], { PORT: String(port), REST_BASE_URL_AI: `http://${address}` });
  const startedAt = performance.now();
  const { data, errors } = await ask(query);
  expect(errors).toBeUndefined();
  expect(data.agents.length).toBeGreaterThan(0);
  expect(performance.now() - startedAt).toBeGreaterThan(2_900);
});

test("a slow product is still there after a page was closed, and after REST broke a connection off", async () => {
  const breaking = createServer(({ socket }) => socket.destroy()).listen(0, "127.0.0.1");
  onTestFinished(() => void breaking.close());
  await once(breaking, "listening");
  const { port } = breaking.address() as AddressInfo;
  const address = await startFaulty("a slow product", `127.0.0.1:${port}`);
  const url = `http://${address}/v1/ai/agents`;
  await expect(fetch(url, { signal: AbortSignal.timeout(100) })).rejects.toThrow("aborted");
  await expect(fetch(url)).rejects.toThrow("fetch failed");
  await expect(fetch(url, { signal: AbortSignal.timeout(100) })).rejects.toThrow("aborted");
});

test("a product fails: its fields are null, each with the code that the page names", async () => {
  const what = "a product fails: a 5XX";
  const address = await startFaulty(what, "127.0.0.1:1");
  const { ask } = await openLayer([], { ...environmentOf(what), REST_BASE_URL_AI: `http://${address}` });
  const { data, errors } = await ask(query);
  expect(data).toMatchObject({ agents: null, contacts: expect.arrayContaining([]) });
  const [, status, code] = /(\d+) is an\s+`(\w+)`, 503/.exec(section) ?? [];
  expect(errors).toMatchObject([
    { message: expect.stringContaining(String(status)), path: ["agents"], extensions: { code } },
  ]);
});

test("a form is refused: the error names the argument", async () => {
  const [, channel, to] = /by `(\w+)` to `(\w+)`/.exec(rows.get("a form is refused") ?? "") ?? [];
  const { ask } = await openLayer();
  const send =
    'mutation ($channel: String!, $to: String!) { sendMessage(channel: $channel, to: $to, body: "Hi") { id } }';
  const { data, errors } = await ask(send, { channel, to });
  expect(data).toEqual({ sendMessage: null });
  expect(errors).toMatchObject([{ extensions: { code: "BAD_USER_INPUT", argument: "to" } }]);
});

test("a key is revoked: it is refused within KEY_CACHE_MS", async () => {
  const folder = temporaryFolder();
  const { DATA_FILE = "", KEY_CACHE_MS } = environmentOf("a key is revoked");
  const env = { DATA_FILE: join(folder, DATA_FILE), KEY_CACHE_MS };
  const { ask } = await openLayer([], env);
  const commands = (blocksOf(section, "sh")[0] ?? "")
    .split("\n")
    .map((line) => /keys -- (.*?) +#/.exec(line)?.[1] ?? "");
  const out: string[] = [];
  const io = { root: ".", env, out: (line: string) => out.push(line), error: () => {} };
  expect(await runKeys((commands[0] ?? "").split(" "), io)).toBe(0);
  const [id = "", key = ""] = (out[0] ?? "").split(/\s+/);
  const codes = async () =>
    (await ask("{ me { id } }", {}, { "x-api-key": key })).errors?.map(({ extensions }) => extensions.code);
  expect(await codes()).toBeUndefined();
  expect(await runKeys((commands[1] ?? "").replace(/key_\S+/, id).split(" "), io)).toBe(0);
  await expect.poll(codes, { timeout: 3 * Number(KEY_CACHE_MS), interval: 100 }).toEqual(["UNAUTHENTICATED"]);
});

test("too many requests: a 429 that says when to ask again", async () => {
  const { post } = await openLayer([], environmentOf("too many requests: a 429"));
  const send = () => post(JSON.stringify({ query: "{ me { id } }" }), { "x-api-key": keys.owner });
  const answers = [];
  for (let count = 0; count < 21; count++) answers.push(await send());
  expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(200), 429]);
  const last = answers.at(-1);
  expect(Number(last?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await last?.json()).toMatchObject({
    errors: [{ extensions: { code: "RATE_LIMITED", retryAfter: expect.any(Number) } }],
  });
});

test("a key without the permission is refused the field", async () => {
  const [, key = ""] = /`(sk_test_\w+)`/.exec(rows.get("a permission is missing") ?? "") ?? [];
  const { ask } = await openLayer();
  const { errors } = await ask(query, {}, { "x-api-key": key });
  expect(errors).toMatchObject([{ path: ["contacts"], extensions: { code: "FORBIDDEN" } }]);
});
