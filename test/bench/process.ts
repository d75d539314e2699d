/** A program on a core of its own, and what the system knows of it: processor time and peak memory. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";

/** Linux can keep a process on one core; elsewhere the system decides. */
const canPin = existsSync("/usr/bin/taskset");

export function pinSelf(core: number): void {
  if (canPin)
    execFileSync("/usr/bin/taskset", ["-a", "-p", "-c", String(core), String(process.pid)], {
      stdio: "ignore",
    });
}

export type Program = {
  readonly url: URL;
  readonly child: ChildProcess;
  /** From its start until it listened. */
  readonly readyMs: number;
};

/** Starts `node args` and waits for the address that it prints. Throws what it printed if it ends before that. */
export async function run(
  core: number,
  args: string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Program> {
  const [command = "", ...rest] = [
    ...(canPin ? ["/usr/bin/taskset", "-c", String(core)] : []),
    process.execPath,
    ...args,
  ];
  const began = performance.now();
  const child = spawn(command, rest, {
    env: { PATH: process.env.PATH, NODE_ENV: "production", PORT: "0", ...environment },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (printed += text));
  for (;;) {
    const found = /ready on (http:\S+)/.exec(printed)?.[1];
    if (found) return { url: new URL("/v1/graphql", found), child, readyMs: performance.now() - began };
    if (child.exitCode !== null) throw new Error(`${args.join(" ")} ended: ${printed}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Ends it as an operator would, so that a profile is written. */
export async function stop({ child }: Program): Promise<void> {
  child.kill("SIGTERM");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** Seconds of processor time that it has used (clock ticks are 10 ms); NaN where there is no /proc. */
export function cpuSeconds({ child }: Program): number {
  const [, fields = ""] = read(`/proc/${child.pid}/stat`).split(") ");
  const [user, system] = fields.split(" ").slice(11, 13).map(Number);
  return ((user ?? Number.NaN) + (system ?? Number.NaN)) / 100;
}

/** MiB that it held at most. */
export const peakMiB = ({ child }: Program): number =>
  Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${child.pid}/status`))?.[1]) / 1024;

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
