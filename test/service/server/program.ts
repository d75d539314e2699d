/** The program of one test: ended with it. */

import { afterAll, beforeAll, onTestFinished } from "vitest";
import { run as runCommand } from "../../../src/engine/server/roles-command.ts";
import { processIo } from "../../../src/engine/shared/cli/command.ts";
import { service } from "../../../src/main.ts";
import { listens, main, type Program, startProgram } from "../../support/child-process.ts";
import { patient } from "../../support/patient.ts";

/** Starts `node src/main.ts …roles` with `environment`, nothing of this process's but PATH; ended after the test. */
export function run(
  roles: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  nodeArgs: string[] = [],
  file = main,
  cwd = process.cwd(),
): Program {
  const program = startProgram([...nodeArgs, file, ...roles], { ...patient, ...environment }, { cwd });
  onTestFinished(() => program.stop());
  return program;
}

/** Starts the program and waits until it says where it is. */
export async function runReady(...given: Parameters<typeof run>) {
  const program = run(...given);
  return { ...program, url: await listens(program) };
}

/** The program of all tests of a file or a `describe`: started before them, ended after them. */
export function runForAll(
  roles: readonly string[],
  environment: NodeJS.ProcessEnv,
): () => Program & { url: URL } {
  let program: (Program & { url: URL }) | undefined;
  beforeAll(async () => {
    const started = startProgram([main, ...roles], { ...patient, ...environment });
    program = { ...started, url: await listens(started) };
  });
  afterAll(() => program?.stop());
  return () => program as Program & { url: URL };
}

/** Runs a command line that starts nothing, in this process. */
export async function runHere(args: readonly string[], environment: NodeJS.ProcessEnv) {
  const printed: string[] = [];
  const print = (text: string): void => void printed.push(...text.split("\n"));
  const env = { PORT: "0", ...environment };
  return {
    exitCode: await runCommand(args, { ...processIo, env, out: print, error: print }, service),
    printed,
  };
}

export const get = (url: URL, path: string, key?: string): Promise<Response> =>
  fetch(new URL(path, url), { headers: key === undefined ? {} : { "x-api-key": key } });

export const query = async (url: URL, document: string, key: string, others = {}): Promise<unknown> => {
  const headers = { "x-api-key": key, "content-type": "application/json", ...others };
  const body = JSON.stringify({ query: document });
  return (await fetch(new URL("/v1/graphql", url), { method: "POST", headers, body })).json();
};
