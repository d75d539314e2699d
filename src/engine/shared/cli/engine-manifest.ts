/** The engine's `package.json`, and the packages of optional features that are missing or have another version. */
import { readFileSync } from "node:fs";
import * as modules from "node:module";

type EngineManifest = {
  readonly version: string;
  /** The packages that a project installs as development dependencies, in these versions. */
  readonly devDependencies: Readonly<Record<string, string>>;
};

export const engineManifest = (): EngineManifest =>
  readManifest(new URL("../../package.json", import.meta.url));

export type OptionalFeature = "codegen" | "bundle" | "lsp" | "composition";

const featureOf = (name: string): OptionalFeature => {
  if (name === "rolldown") return "bundle";
  if (name === "@theguild/federation-composition") return "composition";
  return name.startsWith("vscode-") ? "lsp" : "codegen";
};

/** `name@version` of each package of the feature that is not installed in the required version. */
export const mismatchedPackages = (feature: OptionalFeature): string[] =>
  Object.entries(engineManifest().devDependencies)
    .filter(([name]) => featureOf(name) === feature)
    .filter(([name, version]) => installedVersion(name) !== version)
    .map(([name, version]) => `${name}@${version}`);

function installedVersion(name: string): string | undefined {
  try {
    const path = modules.findPackageJSON(name, import.meta.url);
    return path === undefined ? undefined : readManifest(path).version;
  } catch {
    return undefined;
  }
}

const readManifest = (path: string | URL): EngineManifest => JSON.parse(readFileSync(path, "utf8"));
