/** A row of the table of faults, and the words that all rows use. */
import { setTimeout as sleep } from "node:timers/promises";
import { answer, canary } from "./proxy.ts";
import type { Answer, World } from "./world.ts";

export type Row = {
  readonly fault: string;
  readonly criterion: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly run: (world: World, trial: Trial) => Promise<Outcome>;
};
export type Trial = {
  /** Multiplies how often things are tried. */
  readonly effort: number;
  /** Multiplies each time that a criterion allows: 1 on a quiet machine. */
  readonly patience: number;
};
export type Outcome = { readonly measured: string; readonly pass: boolean };

export const both = "{ me { id } contacts { id name } }";
export const ms = (value: number): string => `${Math.round(value)} ms`;
export const codeOf = ({ errors }: Answer): string =>
  errors?.map(({ extensions }) => extensions.code).join() ?? "none";
export const isPartial = (result: Answer, code: string): boolean =>
  result.status === 200 &&
  result.data?.me?.id !== undefined &&
  result.data.contacts === null &&
  codeOf(result) === code;
export const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(0)} %`;
export const send = (body: string): string =>
  `mutation { sendMessage(channel: "sms", to: "+12025550143", body: ${JSON.stringify(body)}) { id } }`;

/** Waits until `check` holds; whether it did within ten seconds. */
export async function soon(check: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 1_000 && !check(); tries++) await sleep(10);
  return check();
}

export const unavailable = answer(503, `{"detail":"${canary}"}`);
