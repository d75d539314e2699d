/** Fetches a package from npm into a cache folder, unless it is there, and extracts it if the archive matches `integrity`. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** `version`: name and version (`graphql@17.0.0`). Does not install dependencies or run scripts. */
export function fetchPinned(version: string, integrity: string): string {
  const folder = join(tmpdir(), `messaging-graphql-${version.replaceAll("/", "+")}`);
  if (existsSync(folder)) return folder;
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  const options = { cwd: making, encoding: "utf8" } as const;
  const [packed] = JSON.parse(execFileSync("npm", ["pack", version, "--json"], options));
  if (packed.integrity !== integrity) throw new Error(`${version} is not the archive that it was`);
  const file = packed.filename.replace(/^@/, "").replaceAll("/", "-");
  execFileSync("tar", ["-xzf", file], options);
  renameSync(join(making, "package"), folder);
  rmSync(making, { recursive: true });
  return folder;
}
