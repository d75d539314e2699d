/** The program as a user starts it: a child process, what it prints, and where it listens. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

const main = new URL("../../src/main.ts", import.meta.url).pathname;

export type Program = {
  child: ChildProcess;
  /** Everything printed so far. */
  output: () => string;
  /** Resolves with what was printed once `pattern` shows up; rejects when the process ends before. */
  prints: (pattern: RegExp) => Promise<RegExpExecArray>;
  ended: Promise<number | null>;
};

/** Starts `node src/main.ts …roles`, with `environment` alone on top of PATH; ended after the test. */
export function run(
  roles: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  nodeArgs: string[] = [],
  program = main,
): Program {
  const env = { PATH: process.env.PATH, PORT: "0", ...environment };
  const child = spawn(process.execPath, [...nodeArgs, program, ...roles], { env });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      child.emit("printed");
    });
  }
  const ended = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const prints = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(text);
      if (found) return found;
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${text}`);
      await Promise.race([once(child, "printed"), ended]);
    }
  };
  return { child, output: () => text, prints, ended };
}

/** Starts the program and waits until it says where it is. */
export async function runReady(...given: Parameters<typeof run>) {
  const program = run(...given);
  const found = await program.prints(/ready on (http:\S+)/);
  return { ...program, url: new URL(found[1] ?? "") };
}

export const get = (url: URL, path: string, key?: string): Promise<Response> =>
  fetch(new URL(path, url), { headers: key === undefined ? {} : { "x-api-key": key } });

export const query = async (url: URL, document: string, key: string): Promise<unknown> => {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const body = JSON.stringify({ query: document });
  return (await fetch(new URL("/v1/graphql", url), { method: "POST", headers, body })).json();
};
