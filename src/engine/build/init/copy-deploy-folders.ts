/**
 * `restbound init --deploy`: copies the engine's deployment files to the project, and replaces the example service's name and
 * URLs with the project's. The npm package has these files at the same paths as the repository. Existing files of the project are
 * not changed.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { membersOf, parsedJson } from "../../shared/json-object.ts";
import { listFiles } from "../../shared/list-files.ts";
import { baseUrlVariable } from "../openapi/document-files.ts";
import { firstServerUrl } from "../openapi/server-url.ts";
import { projectAt } from "../project/project.ts";

/** The engine's deployment folders, which the npm package contains. */
export const deployFolders = ["grafana", "haproxy", "kubernetes", "prometheus", "systemd"].map(
  (name) => `deploy/${name}`,
);
export const actionFile = "action.yml";

/** Writes the missing files and returns their paths. */
export function addDeployFiles(root: string): string[] {
  if (!existsSync(join(root, "spec")))
    throw new UsageError(["--deploy: there is no spec/ here; add --openapi"]);
  const files = [...deployTexts(root)].filter(([path]) => !existsSync(join(root, path)));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return files.map(([path]) => path);
}

/** The deployment files, adapted to the project, by their paths in the project. */
function deployTexts(root: string): Map<string, string> {
  const top = ["../..", "../../../.."]
    .map((path) => join(import.meta.dirname, path))
    .find((path) => existsSync(join(path, actionFile)));
  if (top === undefined) throw new Error("the package has no deploy files");
  const name = deployedName(root);
  const addresses = addressesOf(root);
  const sources = deployFolders.flatMap((folder) =>
    listFiles(join(top, folder)).map((file) => `${folder}/${file}`),
  );
  const texts = sources.map((source): [string, string] => [
    source.replaceAll(ourName, name),
    adapted(readFileSync(join(top, source), "utf8"), name, addresses),
  ]);
  return new Map([
    ...texts,
    [".github/actions/restbound-check/action.yml", readFileSync(join(top, actionFile), "utf8")],
  ]);
}

/** The example service's name in the deployment files. */
const ourName = "messaging-graphql";

/** The project's name in a form that is valid as a Kubernetes label and as a Grafana uid (at most 40 characters). */
function deployedName(root: string): string {
  const path = join(root, "package.json");
  const { name } = membersOf(existsSync(path) ? parsedJson(readFileSync(path, "utf8")) : {});
  const given = basename(typeof name === "string" ? name : root);
  const label = given.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return label.slice(0, 40).replaceAll(/^-+|-+$/g, "") || "api";
}

/** A line `REST_BASE_URL=…` for each document. */
function addressesOf(root: string): string[] {
  const { document } = projectAt(root).rest;
  return document.roots.map(
    (each) => `${baseUrlVariable(each.name)}=${firstServerUrl(document, each) ?? "https://api.example.com"}`,
  );
}

const adapted = (text: string, name: string, addresses: readonly string[]): string =>
  text
    .replaceAll(ourName, name)
    .replaceAll(/^(.*)REST_BASE_URL=https:\/\/api\.example\.com$/gm, (_, before: string) =>
      addresses.map((address) => before + address).join("\n"),
    )
    .replaceAll(/(?<![\w./])docs\/(?=(?:guides|reference)\/)/g, "node_modules/restbound/docs/")
    .replaceAll(`/opt/${name}/docs/`, `/opt/${name}/node_modules/restbound/docs/`)
    .replaceAll("me { id }", "__typename");
