/**
 * `restbound key`: creates an API key and appends its line to the file that `KEYS_FILE` names. Only the output of this command
 * contains the key itself.
 */
import { hash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { formatApiKey, randomBase62 } from "../runtime/http/api-key.ts";
import { ConfigError, readConfig } from "../runtime/settings/config.ts";
import {
  formatKeyLine,
  type KeyLine,
  memberFault,
  readKeyLines,
  readKeyText,
} from "../runtime/settings/key-lines.ts";
import { type Io, runCommand } from "../shared/cli/command.ts";
import { CommandRefusal } from "../shared/cli/command-failure.ts";
import { expiryForms, readExpiry } from "../shared/cli/expiry.ts";

type Options = {
  readonly tenant: string;
  readonly name: string;
  readonly scopes?: string;
  readonly expires?: string;
};

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("restbound key", argv, io, (line, does) =>
    line
      .description("Creates an API key, prints it once and appends its digest to the file KEYS_FILE.")
      .requiredOption("--tenant <id>", "tenant of the key")
      .requiredOption("--name <name>", "what uses the key; two keys of one name are one caller")
      .option("--scopes <list>", "what the key may do, comma-separated")
      .option("--expires <when>", expiryForms)
      .action(does((given: Options) => createKey(given, io))),
  );

async function createKey(
  { tenant, name, ...given }: Options,
  { root, env, out, error }: Io,
): Promise<number> {
  const { KEYS_FILE: file, API_ENVIRONMENT: environment } = readConfig(env, ["gateway"], false).env;
  if (file === undefined)
    throw new ConfigError(["KEYS_FILE: is not set; set it to the file of the gateway's keys"]);
  for (const [member, value] of [
    ["tenant", tenant] as const,
    ["name", name] as const,
    ["scopes", given.scopes] as const,
  ]) {
    const fault = value === undefined ? undefined : memberFault(member, value);
    if (fault !== undefined) throw new CommandRefusal(`--${fault}`);
  }
  const path = resolve(root, file);
  const others = existsSync(path) ? [...readKeyLines(path)] : [];
  const key = formatApiKey(environment, randomBase62(26));
  await appendKey(path, {
    digest: hash("sha256", key),
    tenant,
    name,
    scopes: given.scopes?.split(",") ?? [],
    expires: given.expires === undefined ? undefined : readExpiry(given.expires, new Date()),
  });
  out(key);
  error(`Keep the key now: ${file} has only its digest. Gateways accept it within a second.`);
  const earlier = others.filter(([, other]) => other.tenant === tenant && other.name === name);
  for (const [number] of earlier)
    error(`${file}:${number} is an earlier key of ${tenant}/${name}: delete the line to revoke it.`);
  return 0;
}

/** Maximum number of attempts to append the line while another program replaces the file. */
const mostAttempts = 10;
/** How long an editor may take to save a file in several steps, such as removing and rewriting it. */
const savingMs = 100;

/**
 * Appends the line until it stays in the file: an editor may save its own version over it, and editors ignore locks. Throws
 * `ConfigError` if the file contains a mistake, because gateways would not apply the file.
 */
async function appendKey(path: string, line: KeyLine): Promise<void> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    appendLine(path, line);
    await sleep(savingMs);
    const isWritten = existsSync(path) && readKeyText(path).includes(formatKeyLine(line));
    if (!isWritten) continue;
    readKeyLines(path);
    return;
  }
  throw new CommandRefusal(
    `${path} is replaced by another program again and again, so no key was created; run the command again once it has ended`,
  );
}

/** Appends the line in one write, so that no gateway reads an incomplete line. */
function appendLine(path: string, line: KeyLine): void {
  const file = openSync(path, "a+", 0o600);
  try {
    const isAtLineStart = /(?:^|\n)$/.test(readFileSync(file, "utf8"));
    writeSync(file, `${isAtLineStart ? "" : "\n"}${formatKeyLine(line)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
