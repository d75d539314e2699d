/**
 * What two graphql processes behind HAProxy give beside one: the dashboard's query from 50 clients, with a key each and
 * with one key for all. On a machine of few cores the load, HAProxy and REST take their part of them, so that requests/s
 * cannot double; the processor time of a request says what more cores would give. `npm run bench -- processes`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuMs, listens, main, type Program, startProgram } from "../../support/child-process.ts";
import { freePort } from "../../support/free-port.ts";
import { readArguments } from "../../support/script-arguments.ts";
import { at, connections, file, load, median } from "./measure.ts";
import { bodyOf } from "./workloads.ts";

await readArguments("npm run bench -- processes", (line) =>
  line.description("Measures two graphql processes behind HAProxy beside one."),
);
const rounds = Number(process.env.ROUNDS ?? 3);
const seconds = Number(process.env.SECONDS ?? 2);
const fields = 5;
const environment = { NODE_ENV: "production" };

const balancers: ChildProcess[] = [];
process.on("exit", () => {
  for (const child of balancers) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** HAProxy between gateways and graphql, as deploy/haproxy configures it. */
async function startBalancer(servers: readonly URL[]): Promise<{ url: URL; child: ChildProcess }> {
  const [front, nobody] = await Promise.all([freePort(), freePort()]);
  const ports = { "4100": front, "4011": servers[0]?.port ?? nobody, "4012": servers[1]?.port ?? nobody };
  const text = readFileSync(join(import.meta.dirname, "../../../deploy/haproxy/haproxy.cfg"), "utf8");
  const sections = text.split(/^(?=frontend |backend |defaults)/m);
  const wanted = sections.filter(
    (section) => !/^frontend (?:clients|status)|^backend gateways/.test(section),
  );
  const folder = mkdtempSync(join(tmpdir(), "processes-"));
  const config = join(folder, "haproxy.cfg");
  const portOf = (port: string): string => String(ports[port as keyof typeof ports]);
  writeFileSync(config, wanted.join("").replace(/\b(?:4011|4012|4100)\b/g, portOf));
  const child = spawn("haproxy", ["-db", "-f", config], { stdio: "ignore" });
  balancers.push(child);
  await once(child, "spawn");
  const url = new URL(`http://127.0.0.1:${front}/v1/graphql`);
  const isUp = () =>
    fetch(new URL("/readyz", url)).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error("HAProxy does not start");
    await sleep(50);
  }
  rmSync(folder, { recursive: true });
  return { url, child };
}

const upstream = startProgram([file("upstream.ts")]);
const rest = await listens(upstream);
const start = (): Program => startProgram([main, "graphql"], { ...environment, REST_BASE_URL: rest.href });
const roles = [start(), start()];
const [one, two] = (await Promise.all(roles.map(listens))).map((url) => new URL("/v1/graphql", url)) as [
  URL,
  URL,
];
const [single, double] = await Promise.all([[one], [one, two]].map(startBalancer));
const callsOf = async (): Promise<number> => Number(await (await fetch(new URL("/calls", rest))).text());

type Row = {
  readonly name: string;
  readonly url: URL;
  readonly roles: readonly Program[];
  readonly balancer?: ChildProcess;
};
const rows: Row[] = [
  { name: "1 process", url: one, roles: roles.slice(0, 1) },
  { name: "1 behind HAProxy", url: single!.url, roles: roles.slice(0, 1), balancer: single!.child },
  { name: "2 behind HAProxy", url: double!.url, roles, balancer: double!.child },
];
const bodies = [bodyOf("dashboard")];
const time = (programs: readonly { readonly child: ChildProcess }[]): number =>
  programs.reduce((sum, program) => sum + cpuMs(program), 0);

/** Requests/s, p99, ms of processor time a request (graphql, HAProxy), REST calls a field. */
async function measure({ url, roles, balancer }: Row, keys: number): Promise<number[]> {
  const balancing = balancer ? [{ child: balancer }] : [];
  const before = [time(roles), time(balancing), await callsOf()] as const;
  const times = await load({ url }, { clients: connections, keys, ms: 1_000 * seconds, bodies });
  const calls = (await callsOf()) - before[2];
  const each = (ms: number): number => ms / times.length;
  const used = [each(time(roles) - before[0]), each(time(balancing) - before[1])];
  return [times.length / seconds, at(times, 0.99), ...used, calls / times.length / fields];
}

console.log(
  `${availableParallelism()} cores, ${connections} clients; medians of ${rounds} rounds of ${seconds} s\n`,
);
console.log(
  "| | requests/s | p99 ms | graphql: ms of processor time a request | HAProxy | REST calls a field |",
);
console.log("| --- | --- | --- | --- | --- | --- |");
for (const url of [one, two]) await load({ url }, { clients: connections, ms: 5_000 * seconds, bodies });
for (const keys of [connections, 1]) {
  for (const row of rows) await load(row, { clients: connections, keys, ms: 1_000 * seconds, bodies });
  const measured = new Map<Row, number[][]>();
  for (let round = 0; round < rounds; round++)
    for (const row of rows) measured.set(row, [...(measured.get(row) ?? []), await measure(row, keys)]);
  for (const [{ name }, figures] of measured) {
    const [rate, p99, role, balancer, calls] = [0, 1, 2, 3, 4].map((n) =>
      median(figures.map((all) => all[n] ?? 0)),
    );
    const cells = [
      rate?.toFixed(0),
      p99?.toFixed(0),
      role?.toFixed(2),
      balancer?.toFixed(2),
      calls?.toFixed(2),
    ];
    console.log(`| ${name}, ${keys === 1 ? "one key" : "a key each"} | ${cells.join(" | ")} |`);
  }
}
await Promise.all([...roles, upstream].map((program) => program.stop("SIGTERM")));
process.exit();
