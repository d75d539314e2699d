/**
 * Starts the whole chain on one machine: a balancer with TLS and HTTP/2, two gateways, two graphql roles, the demo platform, and
 * Redis (or Valkey) and Prometheus if they are installed. The sibling folders contain the configurations.
 */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Given, keepRunning, type Member } from "./member.ts";

export type Chain = {
  readonly url: URL;
  /** The balancer's self-signed certificate, which clients must be told to trust. */
  readonly certificate: string;
  readonly members: ReadonlyMap<string, Member>;
  readonly stop: () => Promise<void>;
};

const deploy = join(import.meta.dirname, "..");
/** Added to every port, so that a user can avoid ports that other programs use. */
const offset = Number(process.env.PORT_OFFSET ?? 0);
export const ports = {
  haproxy: 8444 + offset,
  haproxyMetrics: 8404 + offset,
  platform: 4020 + offset,
  graphql: 4100 + offset,
  redis: 6390 + offset,
  prometheus: 9490 + offset,
};
/** The port of a role's `/metrics` is 5,000 higher. */
export const rolePorts = {
  gateway1: 4001 + offset,
  gateway2: 4002 + offset,
  graphql1: 4011 + offset,
  graphql2: 4012 + offset,
};

export const isInstalled = (command: string): boolean => {
  try {
    execFileSync("sh", ["-c", `command -v ${command}`]);
    return true;
  } catch {
    return false;
  }
};

export type Starting = {
  /** Aborts a start: stops the processes started so far, and rejects. */
  readonly signal?: AbortSignal;
  /** Called with a message when a process has ended and is restarted. */
  readonly say?: (line: string) => void;
  /** The program that runs the roles; default: `src/main.ts`. */
  readonly main?: string;
};

/**
 * `environment` applies to the gateways and the graphql roles; with `REDIS_URL` in it, no Redis is started. If a process does not
 * become ready, stops the others, removes the folder and rejects.
 */
export async function startChain(
  environment: NodeJS.ProcessEnv = {},
  {
    signal = new AbortController().signal,
    say = () => {},
    main = join(deploy, "../src/main.ts"),
  }: Starting = {},
): Promise<Chain> {
  const folder = mkdtempSync(join(tmpdir(), "chain-"));
  const members = new Map<string, Member>();
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(stops.map((end) => end()));
    rmSync(folder, { recursive: true, force: true });
  };
  const start = async (name: string, given: Given): Promise<void> => {
    signal.throwIfAborted();
    const { member, ready, end } = keepRunning(name, given, signal, say);
    stops.push(end);
    members.set(name, member);
    await ready();
  };
  try {
    const certificate = makeCertificate(folder);
    const secret = randomBytes(24).toString("hex");
    const rest = `http://127.0.0.1:${ports.platform}`;
    const role = (roles: string, port: number, own: NodeJS.ProcessEnv) => ({
      command: process.execPath,
      args: [main, roles],
      env: { PORT: String(port), METRICS_PORT: String(port + 5_000), GATEWAY_SECRET: secret, ...own },
      isReady: saysReady,
    });
    const redisServer = ["redis-server", "valkey-server"].find(isInstalled);
    if (environment.REDIS_URL === undefined && redisServer !== undefined)
      await start("redis", redis(redisServer, folder));
    await start("platform", role("platform", ports.platform, { BUILD: "local" }));
    const production = { NODE_ENV: "production", REST_BASE_URL: rest, BUILD: "local", ...environment };
    const startBoth = (roles: "gateway" | "graphql", own: NodeJS.ProcessEnv) =>
      Promise.all(
        (["1", "2"] as const).map((n) => start(roles + n, role(roles, rolePorts[`${roles}${n}`], own))),
      );
    await startBoth("graphql", production);
    const behind = {
      KEY_INTROSPECTION_URL: `${rest}/internal/keys/introspect`,
      GRAPHQL_URL: `http://127.0.0.1:${ports.graphql}`,
      TRUSTED_PROXIES: "127.0.0.1",
      ...(members.has("redis") && { REDIS_URL: `redis://127.0.0.1:${ports.redis}` }),
      ...production,
    };
    await start("haproxy", haproxy(folder));
    await startBoth("gateway", behind);
    if (isInstalled("prometheus")) await start("prometheus", prometheus(folder));
    return { url: new URL(`https://127.0.0.1:${ports.haproxy}`), certificate, members, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const saysReady = (output: string): boolean => /is ready on|ready now/.test(output);

const answers = (url: string) => (): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

/** Copies a sibling folder's configuration, and replaces its ports by those of this chain. */
function copyFiles(name: string, folder: string): void {
  for (const file of readdirSync(join(deploy, name))) {
    const text = readFileSync(join(deploy, name, file), "utf8");
    const moved = text.replace(/\b127\.0\.0\.1:(\d+)/g, (_, port) => `127.0.0.1:${Number(port) + offset}`);
    writeFileSync(join(folder, file), moved);
  }
}

function haproxy(folder: string): Given {
  copyFiles("haproxy", folder);
  const isReady = answers(`http://127.0.0.1:${ports.graphql}/`);
  return {
    command: "haproxy",
    args: ["-C", folder, "-db", "-f", "haproxy.cfg"],
    isReady,
    stopsBy: "SIGTERM",
  };
}

function redis(command: string, folder: string): Given {
  const args = ["--port", String(ports.redis), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  return { command, args, isReady: (output) => output.includes("Ready to accept") };
}

function prometheus(folder: string): Given {
  copyFiles("prometheus", folder);
  const args = [
    `--config.file=${join(folder, "prometheus.yaml")}`,
    `--storage.tsdb.path=${join(folder, "tsdb")}`,
    `--web.listen-address=127.0.0.1:${ports.prometheus}`,
  ];
  return { command: "prometheus", args, isReady: answers(`http://127.0.0.1:${ports.prometheus}/-/ready`) };
}

function makeCertificate(folder: string): string {
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"];
  const files = ["-keyout", join(folder, "tls.key"), "-out", join(folder, "tls.crt")];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "7", ...files, ...subject],
    {
      stdio: "ignore",
    },
  );
  const certificate = readFileSync(join(folder, "tls.crt"), "utf8");
  writeFileSync(join(folder, "tls.pem"), certificate + readFileSync(join(folder, "tls.key"), "utf8"));
  return certificate;
}
