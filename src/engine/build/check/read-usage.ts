/**
 * Reads the usage ledger, a record of the operations and fields that clients used. The source is the folder `USAGE_DIR`, or one
 * file with the concatenated files of that folder.
 */
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { maxTextBytes } from "../../shared/bounded-text.ts";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { isHttpUrl } from "../../shared/manifests/manifest-locations.ts";
import { readRegularFile } from "../../shared/regular-file.ts";
import { shownUrl } from "../../shared/shown-url.ts";
import { dayOfUsageFile, parseUsageLines, type UsageLine, usageDay } from "../../shared/usage-lines.ts";
import type { Usage } from "./usage.ts";

/** The ledger's last entry may be at most this old. It need not be from today, so that `check` can use a copy. */
const maxAgeDays = 7;

/**
 * Returns the use since the last day that is missing in the ledger, because use on a missing day was not recorded. Throws
 * `UsageError` if the source is empty, because every field would then count as unused.
 */
export function readUsage(root: string, source: string, today: string): Usage {
  try {
    if (isHttpUrl(source)) throw new Error("must be the folder of USAGE_DIR, or a file");
    return usageOf(source, textsAt(resolve(root, source)).flatMap(parseUsageLines), today);
  } catch (error) {
    throw new UsageError([`--usage ${shownUrl(source)}: ${(error as Error).message}`]);
  }
}

/** Returns the text of the file, or of each ledger file in the folder. */
function textsAt(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [readRegularFile(path, maxTextBytes)];
  const names = readdirSync(path).filter((name) => dayOfUsageFile(name) !== undefined);
  if (names.length === 0) throw new Error("has no file of the usage ledger");
  return names.map((name) => readRegularFile(join(path, name), maxTextBytes));
}

function usageOf(source: string, lines: readonly UsageLine[], today: string): Usage {
  const days = new Set<string>();
  const latestUses = new Map<string, UsageLine>();
  for (const line of lines) {
    const { day, ...used } = line;
    const key = JSON.stringify(used);
    days.add(day);
    if (day > (latestUses.get(key)?.day ?? "")) latestUses.set(key, line);
  }
  const latest = [...days].sort().at(-1);
  if (latest === undefined) throw new Error("has no line of the usage ledger");
  if (dayAfter(latest, maxAgeDays) < today) throw new Error(`the ledger ends on ${latest}; use a newer copy`);
  let since = latest;
  while (days.has(dayAfter(since, -1))) since = dayAfter(since, -1);
  const inPeriod = [...latestUses.values()].filter(({ day }) => day >= since);
  const lastDays = new Map<string, string>();
  for (const { day, operation, field } of inPeriod) {
    const name = operation ?? field ?? "";
    if (day > (lastDays.get(name) ?? "")) lastDays.set(name, day);
  }
  return {
    source,
    since,
    operations: clientsOf(inPeriod, ({ operation }) => operation),
    fields: clientsOf(inPeriod, ({ field }) => field),
    lastDays,
    isIncomplete: inPeriod.some((line) => line.isIncomplete),
  };
}

function clientsOf(lines: readonly UsageLine[], nameOf: (line: UsageLine) => string | undefined) {
  const found = new Map<string, Set<string>>();
  for (const line of lines) {
    const name = nameOf(line);
    if (name === undefined) continue;
    const clients = found.get(name) ?? new Set();
    found.set(name, clients);
    if (line.app !== undefined) clients.add(`${line.app} ${line.version ?? ""}`.trim());
  }
  return found;
}

const dayAfter = (day: string, days: number): string =>
  usageDay(new Date(Date.parse(day) + days * 86_400_000));
