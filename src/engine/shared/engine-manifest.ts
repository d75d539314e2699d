/** Reads the engine's `package.json`, and finds packages of optional features that are missing or have a wrong version. */
import { readFileSync } from "node:fs";
import * as modules from "node:module";

type EngineManifest = {
  readonly version: string;
  /** The names and versions of the packages that a project installs as development dependencies. */
  readonly devDependencies: Readonly<Record<string, string>>;
};

export const engineManifest = (): EngineManifest => readManifest(new URL("../package.json", import.meta.url));

export type OptionalFeature = "codegen" | "bundle" | "lsp" | "composition" | "explorer";

const featureOf = (name: string): OptionalFeature => {
  if (name === "rolldown") return "bundle";
  if (name === "@theguild/federation-composition") return "composition";
  if (name === "@graphql-yoga/render-graphiql") return "explorer";
  return name.startsWith("vscode-") ? "lsp" : "codegen";
};

/** Advice to install the feature's packages that are missing or have a wrong version; `undefined` if all are present. */
export function installAdvice(feature: OptionalFeature): string | undefined {
  const { version: ownVersion, devDependencies } = engineManifest();
  const mismatched = Object.entries(devDependencies)
    .filter(([name, version]) => featureOf(name) === feature && installedVersion(name) !== version)
    .map(([name, version]) => `${name}@${version}`);
  if (mismatched.length === 0) return undefined;
  const packages = mismatched.length === 1 ? "this package" : "these packages";
  return `restbound ${ownVersion} needs ${packages}: npm install --save-dev --save-exact ${mismatched.join(" ")}`;
}

function installedVersion(name: string): string | undefined {
  try {
    const path = modules.findPackageJSON(name, import.meta.url);
    return path === undefined ? undefined : readManifest(path).version;
  } catch {
    return undefined;
  }
}

const readManifest = (path: string | URL): EngineManifest => JSON.parse(readFileSync(path, "utf8"));
