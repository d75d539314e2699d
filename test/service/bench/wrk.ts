/** Load by wrk. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export type WrkLoad = {
  readonly connections: number;
  readonly seconds: number;
  /** API keys. The requests go round all bodies and all keys. */
  readonly keys: number;
  /** Without bodies, the requests are GET requests. */
  readonly bodies?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
};

/** A caller's key is put into the text of a request when it is sent, so 50,000 callers take no memory. `done` prints microseconds. */
const scriptOf = ({ bodies, keys, headers = {} }: WrkLoad): string => `
local bodies = { ${(bodies ?? []).map((body) => JSON.stringify(body)).join(", ")} }
local heads, tails, at = {}, {}, -1
init = function()
  local headers = { ${Object.entries({ ...headers, "x-api-key": "THE-KEY" })
    .map(([name, value]) => `[${JSON.stringify(name)}] = ${JSON.stringify(value)}`)
    .join(", ")} }
  local texts = {}
  if #bodies == 0 then texts[1] = wrk.format("GET", nil, headers) end
  headers["content-type"] = "application/json"
  for _, body in ipairs(bodies) do texts[#texts + 1] = wrk.format("POST", nil, headers, body) end
  for number, text in ipairs(texts) do heads[number], tails[number] = text:match("^(.*)THE%-KEY(.*)$") end
end
request = function()
  at = at + 1
  local number = at % #heads + 1
  return heads[number] .. "key-" .. math.floor(at / #heads) % ${keys} .. tails[number]
end
done = function(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format("RESULT %d %d %d %d %d", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), failed))
end
`;

export type Loaded = {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
};

/** Sends requests for some seconds from one thread. Throws on an answer of another status than 2xx or 3xx. */
export async function wrk(url: URL, given: WrkLoad): Promise<Loaded> {
  const { connections, seconds } = given;
  const folder = mkdtempSync(join(tmpdir(), "wrk-"));
  const script = join(folder, "load.lua");
  writeFileSync(script, scriptOf(given));
  const options = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "10s", "-s", script];
  const { stdout } = await promisify(execFile)("wrk", [...options, url.href]).finally(() =>
    rmSync(folder, { recursive: true }),
  );
  const found = /RESULT (\d+) (\d+) (\d+) (\d+) (\d+)/.exec(stdout)?.slice(1).map(Number);
  const [requests = 0, duration = 0, p50 = 0, p99 = 0, failed = 1] = found ?? [];
  if (failed > 0) throw new Error(`${url}: ${failed} of ${requests} requests failed`);
  return { requests, seconds: duration / 1e6, p50: p50 / 1_000, p99: p99 / 1_000 };
}
