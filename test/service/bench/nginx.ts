/**
 * The REST platform of the benchmarks: nginx with answers that stand in files, so that it costs next to nothing. It refuses
 * a call without an API key, so each server has to forward the key of its caller.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../support/free-port.ts";
import { answers } from "./workloads.ts";

/**
 * What REST allows to keep. `validators`: each answer has one, and is never "not modified", as of many services; `304`: it is
 * not modified.
 */
const caching = {
  "no-store": 'add_header Last-Modified ""; add_header Cache-Control "no-store";',
  "max-age": 'add_header Last-Modified ""; add_header Cache-Control "max-age=3600";',
  validators: "if_modified_since off;",
  "304": "if_modified_since exact;",
} as const;
export type Caching = keyof typeof caching;
export const cachings = Object.keys(caching) as Caching[];

const configOf = (folder: string, port: number, kind: Caching): string => `
daemon off;
worker_processes 1;
pid ${folder}/pid;
error_log stderr;
events { worker_connections 4096; }
http {
  access_log off;
  etag off;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  default_type application/json;
  open_file_cache max=100;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/temp;`).join(" ")}
  server {
    listen 127.0.0.1:${port};
    root ${folder}/answers;
    ${caching[kind]}
    location = /calls { stub_status; }
    location / {
      if ($http_x_api_key = "") { return 401; }
      try_files $uri.json =404;
    }
  }
}
`;

export type Nginx = {
  readonly url: URL;
  /** The calls so far. */
  readonly calls: () => Promise<number>;
  readonly stop: () => void;
};

/** Starts nginx on the cores of this process. It ends with this process, or by `stop`. */
export async function startNginx(kind: Caching): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  chmodSync(folder, 0o755); // nginx's worker is another user where it is started by root
  for (const [path, text] of Object.entries(answers)) {
    const file = join(folder, "answers", `${path}.json`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const port = await freePort();
  writeFileSync(join(folder, "nginx.conf"), configOf(folder, port, kind));
  const child: ChildProcess = spawn("nginx", ["-c", join(folder, "nginx.conf")], { stdio: "inherit" });
  const clear = (): void => rmSync(folder, { recursive: true, force: true });
  const stop = (): void => void child.once("exit", clear).kill("SIGTERM");
  process.once("exit", () => {
    child.kill("SIGTERM");
    clear();
  });
  await once(child, "spawn");
  const url = new URL(`http://127.0.0.1:${port}`);
  const isUp = () =>
    fetch(new URL("/v1/identity/me", url), { headers: { "x-api-key": "key" } }).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error("nginx does not start");
    await sleep(50);
  }
  let asked = 1;
  const calls = async (): Promise<number> => {
    const status = await (await fetch(new URL("/calls", url))).text();
    return Number(/^ \d+ \d+ (\d+) $/m.exec(status)?.[1]) - asked++; // these requests are no calls
  };
  return { url, calls, stop };
}
