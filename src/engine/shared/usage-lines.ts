/**
 * Reads and names the files of the usage ledger. They are JSON Lines, one file for each day and host. A line records that an
 * operation or field was used on that day, but not how often, so the files of several processes can be concatenated in any order.
 * No line contains an id of a caller, or a value from a request.
 */
import { isRecord, parsedJson } from "./json-object.ts";

/**
 * - `operation`: the name of a saved operation that ran, with the name of its app in front, for example `shop/Orders`.
 * - `field`: a schema coordinate that an unsaved operation used.
 * - `isIncomplete`: more different operations ran than could be recorded.
 * - without these three members, a line only shows that a process was recording on this day.
 */
export type UsageLine = {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly operation?: string;
  readonly field?: string;
  readonly isIncomplete?: true;
  /** The app with a manifest that the client names, or else the app of the saved operation. Absent if there is neither. */
  readonly app?: string;
  readonly version?: string;
};

export const usageDay = (date: Date): string => date.toISOString().slice(0, 10);

const fileName = /^usage-(\d{4}-\d{2}-\d{2})\.[\w.-]+\.jsonl$/;

export const usageFile = (day: string, host: string): string =>
  `usage-${day}.${host.replaceAll(/[^\w.-]/g, "_")}.jsonl`;

/** The day in the name of a ledger file; `undefined` for other files. */
export const dayOfUsageFile = (name: string): string | undefined => fileName.exec(name)?.[1];

/**
 * Parses the text of a ledger file. Skips incompletely written lines. Throws for any other line that does not belong to a usage
 * ledger.
 */
export const parseUsageLines = (text: string): UsageLine[] =>
  text.split("\n").flatMap((line, index) => {
    if (line === "") return [];
    const value = parsedJson(line);
    if (isUsageLine(value)) return [value];
    if (value === undefined && line.startsWith('{"day":')) return [];
    throw new Error(`line ${index + 1} is not a line of the usage ledger`);
  });

const isUsageLine = (value: unknown): value is UsageLine =>
  isRecord(value) &&
  typeof value.day === "string" &&
  /^\d{4}-\d{2}-\d{2}$/.test(value.day) &&
  !Number.isNaN(Date.parse(value.day)) &&
  [value.operation, value.field, value.app, value.version].every(isTextOrAbsent);

const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === "string";
