/** Refuses a start whose `generated/` was made from another spec. An installation may leave `spec/` out. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { specHash } from "../../generated/spec.ts";
import { ConfigError } from "../config.ts";
import { hashSpec } from "../standards/spec-hash.ts";

/** Throws `ConfigError`. `root` is the project's folder. */
export function refuseStale(root: string): void {
  const folder = join(root, "spec");
  if (!existsSync(folder)) return;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const names = files.map((entry) =>
    relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"),
  );
  if (hashSpec(names, (name) => readFileSync(join(folder, name))) !== specHash)
    throw new ConfigError(["generated/ was made from another spec/ than this one; run npm run codegen"]);
}
