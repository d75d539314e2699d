/**
 * The whole chain on one machine: a balancer with TLS and HTTP/2, two gateways, two graphql, the demo platform, Redis and
 * Prometheus as far as they are installed. Ports and configurations are those of the folders beside this one.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Argument } from "commander";

export const balancers = ["nginx", "haproxy"] as const;
export type Balancer = (typeof balancers)[number];
export const balancerArgument = new Argument("[balancer]", "in front of the gateways").choices(balancers);

/** A process of the chain, which is started again whenever it ends. */
export type Member = {
  readonly name: string;
  /** The one that runs now. */
  readonly child: () => ChildProcess;
  readonly output: () => string;
  /** SIGTERM, and the next one has started once this resolves. */
  readonly restart: () => Promise<void>;
};

export type Chain = {
  readonly url: URL;
  /** The balancer's certificate, which nobody else knows. */
  readonly certificate: string;
  readonly members: ReadonlyMap<string, Member>;
  readonly stop: () => Promise<void>;
};

const deploy = join(import.meta.dirname, "..");
const main = join(deploy, "../src/main.ts");
const ports = { nginx: 8443, haproxy: 8444, platform: 4020, graphql: 4100, redis: 6390, prometheus: 9490 };

export const isInstalled = (command: string): boolean => {
  try {
    execFileSync("sh", ["-c", `command -v ${command}`]);
    return true;
  } catch {
    return false;
  }
};

/** `environment` is for the gateways and for graphql. */
export async function startChain(balancer: Balancer, environment: NodeJS.ProcessEnv = {}): Promise<Chain> {
  const folder = mkdtempSync(join(tmpdir(), "chain-"));
  const members = new Map<string, Member>();
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(stops.map((end) => end()));
    rmSync(folder, { recursive: true, force: true });
  };
  const start = async (name: string, given: Parameters<typeof keepRunning>[1]): Promise<void> => {
    const { member, end } = keepRunning(name, given);
    stops.push(end);
    members.set(name, member);
    await given.ready(member);
  };
  try {
    const certificate = makeCertificate(folder);
    const secret = randomBytes(24).toString("hex");
    const rest = `http://127.0.0.1:${ports.platform}`;
    const role = (roles: string, port: number, own: NodeJS.ProcessEnv) => ({
      command: process.execPath,
      args: [main, roles],
      env: { PORT: String(port), METRICS_PORT: String(port + 5_000), GATEWAY_SECRET: secret, ...own },
      ready: saysReady,
    });
    if (isInstalled("redis-server")) await start("redis", redis(folder));
    await start("platform", role("platform", ports.platform, { BUILD: "local" }));
    const production = { NODE_ENV: "production", REST_BASE_URL: rest, BUILD: "local", ...environment };
    await Promise.all([1, 2].map((n) => start(`graphql${n}`, role("graphql", 4010 + n, production))));
    const behind = {
      ...production,
      KEY_INTROSPECTION_URL: `${rest}/internal/keys/introspect`,
      GRAPHQL_URL: `http://127.0.0.1:${ports.graphql}`,
      TRUSTED_PROXIES: "127.0.0.1",
      ...(members.has("redis") && { REDIS_URL: `redis://127.0.0.1:${ports.redis}` }),
    };
    await start(balancer, balancerOf(balancer, folder));
    await Promise.all([1, 2].map((n) => start(`gateway${n}`, role("gateway", 4000 + n, behind))));
    if (isInstalled("prometheus")) await start("prometheus", prometheus(folder));
    return { url: new URL(`https://127.0.0.1:${ports[balancer]}`), certificate, members, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Given = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly ready: (member: Member) => Promise<void>;
  /** nginx's workers outlive a master that is killed. */
  readonly stopsBy?: NodeJS.Signals;
};

function keepRunning(name: string, given: Given): { member: Member; end: () => Promise<void> } {
  let output = "";
  let isOver = false;
  let started = Promise.withResolvers<void>();
  const run = (): ChildProcess => {
    const env = { PATH: process.env.PATH, ...given.env };
    const child = spawn(given.command, given.args, { env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.once("exit", () => {
      if (isOver) return;
      output = "";
      current = run();
      started.resolve();
      started = Promise.withResolvers();
    });
    return child;
  };
  let current = run();
  const member: Member = {
    name,
    child: () => current,
    output: () => output,
    restart: async () => {
      const next = started.promise;
      current.kill("SIGTERM");
      await next;
      await given.ready(member);
    },
  };
  const end = async (): Promise<void> => {
    isOver = true;
    if (current.exitCode !== null || current.signalCode !== null) return;
    current.kill(given.stopsBy ?? "SIGKILL");
    await once(current, "exit");
  };
  return { member, end };
}

async function waitFor(name: string, is: () => boolean | Promise<boolean>, why = () => ""): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 50) {
    if (await is()) return;
    await sleep(50);
  }
  throw new Error(`${name} is not ready after a minute: ${why()}`);
}

const saysReady = ({ name, output }: Member): Promise<void> =>
  waitFor(name, () => /is ready on|ready now/.test(output()), output);

const answers =
  (url: string) =>
  ({ name, output }: Member): Promise<void> =>
    waitFor(
      name,
      () =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      output,
    );

function balancerOf(balancer: Balancer, folder: string): Given {
  cpSync(join(deploy, balancer), folder, { recursive: true });
  const ready = answers(`http://127.0.0.1:${ports.graphql}/`);
  const args =
    balancer === "nginx"
      ? ["-p", folder, "-c", "nginx.conf", "-g", "daemon off;"]
      : ["-C", folder, "-db", "-f", "haproxy.cfg"];
  return { command: balancer, args, ready, stopsBy: "SIGTERM" };
}

function redis(folder: string): Given {
  const args = ["--port", String(ports.redis), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  const ready = ({ name, output }: Member) => waitFor(name, () => /Ready to accept/.test(output()), output);
  return { command: "redis-server", args, ready };
}

function prometheus(folder: string): Given {
  cpSync(join(deploy, "prometheus"), folder, { recursive: true });
  const args = [
    `--config.file=${join(folder, "prometheus.yaml")}`,
    `--storage.tsdb.path=${join(folder, "tsdb")}`,
    `--web.listen-address=127.0.0.1:${ports.prometheus}`,
  ];
  return { command: "prometheus", args, ready: answers(`http://127.0.0.1:${ports.prometheus}/-/ready`) };
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
