/** One process of the chain. Once it has been ready, it is restarted whenever it ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

export type Member = {
  readonly name: string;
  /** The current process. */
  readonly child: () => ChildProcess;
  readonly output: () => string;
  /** Sends SIGTERM, and resolves once the next process has been started. */
  readonly restart: () => Promise<void>;
};

export type Given = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly isReady: (output: string) => boolean | Promise<boolean>;
  /** Default: SIGKILL, which would stop HAProxy's master, but not its workers. */
  readonly stopsBy?: NodeJS.Signals;
};

/** Pause before the restart of a process that ended within this time, so that it does not restart in a tight loop. */
const pauseMs = 1_000;

export function keepRunning(name: string, given: Given, signal: AbortSignal, say: (line: string) => void) {
  let output = "";
  let isOver = false;
  let wasReady = false;
  let started = Promise.withResolvers<void>();
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => {});

  const run = (): ChildProcess => {
    const began = performance.now();
    const env = { PATH: process.env.PATH, ...given.env };
    const child = spawn(given.command, given.args, { env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.once("error", (error) => refused.reject(new Error(`${name} cannot be started: ${error.message}`)));
    child.once("exit", async (code, by) => {
      // waits for the last output, but only shortly, because a worker may keep the pipe open
      await Promise.race([once(child, "close"), sleep(100)]);
      if (isOver) return;
      const how = `${name} ended (${by ?? `exit code ${code}`})`;
      if (!wasReady) return refused.reject(new Error(`${how} before it was ready:\n${output.trimEnd()}`));
      const lived = performance.now() - began;
      say(`${how}, and is started again${lived < pauseMs ? `. It said:\n${output.trimEnd()}` : ""}`);
      setTimeout(again, lived < pauseMs ? pauseMs : 0);
    });
    return child;
  };
  const again = (): void => {
    if (isOver) return;
    output = "";
    current = run();
    started.resolve();
    started = Promise.withResolvers();
  };
  let current = run();

  const ready = async (): Promise<void> => {
    for (let waited = 0; waited < 60_000; waited += 50) {
      if (await given.isReady(output)) {
        wasReady = true;
        return;
      }
      await Promise.race([sleep(50, undefined, { signal }), refused.promise]);
    }
    throw new Error(`${name} is not ready after a minute:\n${output.trimEnd()}`);
  };
  const member: Member = {
    name,
    child: () => current,
    output: () => output,
    restart: async () => {
      const next = started.promise;
      current.kill("SIGTERM");
      await next;
      await ready();
    },
  };
  const end = async (): Promise<void> => {
    isOver = true;
    if (current.pid === undefined || current.exitCode !== null || current.signalCode !== null) return;
    current.kill(given.stopsBy ?? "SIGKILL");
    await once(current, "exit");
  };
  return { member, ready, end };
}
