/**
 * Finds the commit that a running server was generated from. The server's `/healthz` returns the hash of its spec. Git finds
 * the commit that added this hash to `generated/spec.ts`.
 */
import { UsageError } from "../../shared/cli/command-failure.ts";
import { fetchText } from "../../shared/cli/fetch-text.ts";
import { membersOf } from "../../shared/json-object.ts";
import { hashSpec } from "../../shared/spec-hash.ts";
import { findCommit, gitFiles } from "./git-files.ts";

const timeoutMs = 10_000;

/** Throws `UsageError` if the server does not respond, or if no local commit has its hash. */
export async function deployedCommit(root: string, url: string): Promise<string> {
  const hash = await servedHash(url);
  const commit = findCommit(root, url, hash, ":(top,glob)**/generated/spec.ts");
  const unknown = `--base ${url}: serves the spec ${hash}, which no commit here has; fetch the commit that is deployed`;
  if (commit === undefined) throw new UsageError([unknown]);
  const files = gitFiles(root, commit);
  if (!files || hashSpec(files.list("."), files.read) !== hash) throw new UsageError([unknown]);
  return commit;
}

async function servedHash(url: string): Promise<string> {
  const at = new URL("/healthz", url);
  const read = (text: string): unknown => membersOf(JSON.parse(text)).spec;
  const spec = await fetchText(`--base ${url}`, at, read, { timeoutMs });
  if (typeof spec === "string" && /^[0-9a-f]{16}$/.test(spec)) return spec;
  throw new UsageError([`--base ${url}: ${at.pathname} does not report a spec`]);
}
