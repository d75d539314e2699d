/**
 * Prism, Stoplight's mock server, serves a document as it comes. npm installs it once, into the cache folder. A recorder
 * before it keeps each answer that it gave.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { startProgram } from "../../support/child-process.ts";
import { cache } from "./fetch.ts";

const version = "5.16.0";

export type RestAnswer = {
  readonly request: string;
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** What Prism itself finds in its answer that is not as the document says: most are examples of the document. */
  readonly violations: readonly string[];
};

export type Prism = {
  readonly url: string;
  /** What it answered since the last call of this, in order. */
  readonly taken: () => RestAnswer[];
  /** Preferences for its next answers (`code=200, dynamic=true`); none: the document's examples. */
  readonly prefer: (preferences: readonly string[]) => void;
  readonly stop: () => Promise<void>;
};

/** Starts it on the document in `file`. */
export async function startPrism(file: string): Promise<Prism> {
  const program = startProgram([installed(), "mock", "-h", "127.0.0.1", "-p", "0", file]);
  const [, address = ""] = await program.prints(/listening on (http:\S+)/);
  let answers: RestAnswer[] = [];
  let preferred: readonly string[] = [];
  const record = async (received: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = await pass(received, new URL(address), preferred);
    const body = await buffer(reply);
    const { statusCode: status = 500, headers } = reply;
    const type = headers["content-type"] ?? "";
    const violations = violationsIn(String(headers["sl-violations"] ?? ""));
    answers.push({
      request: `${received.method} ${received.url}`,
      status,
      type,
      text: String(body),
      violations,
    });
    response.writeHead(status, type === "" ? {} : { "content-type": type }).end(body);
  };
  const recorder = createServer((received, response) => {
    record(received, response).catch(() => response.destroy());
  });
  const url = await listening(recorder);
  return {
    url,
    taken: () => {
      const taken = answers;
      answers = [];
      return taken;
    },
    prefer: (preferences) => {
      preferred = preferences;
    },
    stop: async () => {
      recorder.closeAllConnections();
      recorder.close();
      await program.stop();
    },
  };
}

/** Those of the response in Prism's header, which cuts a long list. */
const violationsIn = (header: string): string[] =>
  header.includes('"location":["response"')
    ? [/"message":"(Response [^"]*)"/.exec(header)?.[1] ?? header]
    : [];

/** The request, sent on as it is, on a connection of its own: Prism closes one that waits for the next call. */
async function pass(
  received: IncomingMessage,
  to: URL,
  preferred: readonly string[],
): Promise<IncomingMessage> {
  const body = await buffer(received);
  const { method, url: path } = received;
  const headers = { ...received.headers, ...(preferred.length > 0 && { prefer: preferred.join(", ") }) };
  return new Promise((resolve, reject) => {
    const sending = request(to, { method, path, headers, agent: false }, resolve);
    sending.on("error", reject).end(body);
  });
}

/** Prism's program. Its 185 packages are nothing for the lockfile of a project that only its test wants them for. */
function installed(): string {
  const folder = join(cache, `prism@${version}`);
  const program = "node_modules/@stoplight/prism-cli/dist/index.js";
  if (existsSync(join(folder, program))) return join(folder, program);
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  writeFileSync(join(making, "package.json"), '{ "private": true }');
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", `@stoplight/prism-cli@${version}`];
  execFileSync("npm", args, { cwd: making, stdio: "ignore" });
  rmSync(folder, { recursive: true, force: true });
  renameSync(making, folder);
  return join(folder, program);
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
