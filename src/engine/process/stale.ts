/** Refuses a start whose `generated/` was made from another spec. An installation may leave `spec/` out. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../config.ts";
import { filesBelow } from "../standards/files-below.ts";
import { hashSpec } from "../standards/spec-hash.ts";

/** Throws `ConfigError`. `root` is the project's folder. */
export function refuseStale(root: string, specHash: string): void {
  const folder = join(root, "spec");
  if (!existsSync(folder)) return;
  if (hashSpec(filesBelow(folder), (name) => readFileSync(join(folder, name))) !== specHash)
    throw new ConfigError(["generated/ was made from another spec/ than this one; run npm run codegen"]);
}
