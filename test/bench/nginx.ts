/** The REST platform of `npm run bench`: nginx with answers that stand in files, so that it costs next to nothing. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../free-port.ts";
import { answers } from "./workloads.ts";

/** No header lets a client keep an answer, so each call brings a whole one. */
const configOf = (folder: string, port: number): string => `
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
    add_header Last-Modified "";
    location / { try_files $uri.json =404; }
  }
}
`;

/** Starts nginx on the cores of this process. It ends with this process, or by `stop`. */
export async function startNginx(): Promise<{ readonly url: URL; readonly stop: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  chmodSync(folder, 0o755); // nginx's worker is another user where it is started by root
  for (const [path, text] of Object.entries(answers)) {
    const file = join(folder, "answers", `${path}.json`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const port = await freePort();
  writeFileSync(join(folder, "nginx.conf"), configOf(folder, port));
  const child: ChildProcess = spawn("nginx", ["-c", join(folder, "nginx.conf")], { stdio: "inherit" });
  const stop = (): void => {
    child.kill("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", stop);
  await once(child, "spawn");
  const url = new URL(`http://127.0.0.1:${port}`);
  const isUp = () =>
    fetch(new URL("/v1/identity/me", url)).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error("nginx does not start");
    await sleep(50);
  }
  return { url, stop };
}
