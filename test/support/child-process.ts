/** Starts a program as a user would, and observes it: its output, its address, and its CPU time and memory. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";

export const main = new URL("../../src/main.ts", import.meta.url).pathname;

/** `startProgram` runs `main` with the Node options of `npm start`. */
const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
const startOptions: string[] = scripts.start.split(" ").filter((word: string) => word.startsWith("--"));

const { NODE_COMPILE_CACHE: _, ...others } = process.env;
/** This process's environment without the folder of the tests' compile cache, which a program with other flags would overwrite. */
export const programEnvironment: NodeJS.ProcessEnv = others;

const taskset = "/usr/bin/taskset";
/** Whether `taskset` can pin a process to one core (Linux only). */
const canPin = existsSync(taskset);

export function pinSelf(core: number): void {
  if (canPin)
    execFileSync(taskset, ["-a", "-p", "-c", String(core), String(process.pid)], { stdio: "ignore" });
}

export type Program = {
  readonly child: ChildProcess;
  /** Everything printed so far. */
  readonly output: () => string;
  /** Resolves with the match once the output matches `pattern`; rejects if the process ends before. */
  readonly prints: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Resolves with the exit code once all output has been read. */
  readonly ended: Promise<number | null>;
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
};

/** The programs to kill when this process ends. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts `executable` (default: Node). Its environment contains only `environment`, PATH and a free port. `core` pins it to a
 * core, `descriptors` limits its file descriptors.
 */
export function startProgram(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  {
    core,
    descriptors,
    cwd = process.cwd(),
    executable = process.execPath,
  }: { core?: number | undefined; descriptors?: number; cwd?: string; executable?: string } = {},
): Program {
  const pinned = canPin && core !== undefined ? [taskset, "-c", String(core)] : [];
  const limited =
    descriptors === undefined ? [] : ["/bin/sh", "-c", `ulimit -n ${descriptors}; exec "$@"`, "sh"];
  const [command = "", ...rest] = [
    ...pinned,
    ...limited,
    executable,
    ...(args.includes(main) ? startOptions : []),
    ...args,
  ];
  const env = { PATH: process.env.PATH, PORT: "0", ...environment };
  const child = spawn(command, rest, { env, cwd });
  running.add(child);
  let text = "";
  let isOver = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      child.emit("printed");
    });
  }
  const ended = once(child, "close").then(([code]) => {
    isOver = true;
    running.delete(child);
    return code as number | null;
  });
  const prints = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(text);
      if (found) return found;
      if (isOver)
        throw new Error(`${args.join(" ")} ended with ${child.exitCode ?? child.signalCode}: ${text}`);
      await Promise.race([once(child, "printed"), ended]);
    }
  };
  const stop = async (signal: NodeJS.Signals = "SIGKILL"): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return { child, output: () => text, prints, ended, stop };
}

/** Resolves with the program's URL once the program has printed it. */
export const listens = async (program: Program): Promise<URL> =>
  new URL((await program.prints(/(?:ready|listens) on (http:[^\s,"]+)/))[1] ?? "");

/** CPU time of the program so far, in ms (utime + stime, proc_pid_stat(5)); NaN without /proc. */
export function cpuMs({ child }: Pick<Program, "child">): number {
  const fields = readProc(child, "stat").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** How long the program's main thread has waited for a core, in ms (Linux, sched-stats.rst); NaN without /proc. */
export const waitedMs = ({ child }: Pick<Program, "child">): number =>
  Number(readProc(child, "schedstat").split(" ")[1] || Number.NaN) / 1e6;

/** Resident memory in MiB, now (`VmRSS`) or at its peak (`VmHWM`; proc_pid_status(5)); NaN without /proc. */
export const memoryMiB = ({ child }: Pick<Program, "child">, line: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`${line}:\\s+(\\d+)`).exec(readProc(child, "status"))?.[1]) / 1024;

function readProc({ pid }: ChildProcess, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
