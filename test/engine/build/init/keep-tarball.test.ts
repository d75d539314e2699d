/** A project whose engine npm installed from a tarball: the suite `package` shows that npm and the Dockerfile take what is written here. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as init } from "../../../../src/engine/build/init/init-command.ts";
import { isIgnored, keepTarball } from "../../../../src/engine/build/init/keep-tarball.ts";
import { emptyProject } from "../../../support/project.ts";
import { ran } from "../check/run.ts";

/** `package.json` and `package-lock.json`, as npm 11 writes them for `npm install <location>`. */
function manifests(specifier: string): Readonly<Record<string, string>> {
  const dependencies = { restbound: specifier };
  const manifest = { name: "project", private: true, dependencies };
  const packages = {
    "": { name: "project", dependencies },
    "node_modules/restbound": { version: "0.1.0", resolved: specifier, integrity: "sha512-AA==" },
  };
  const lock = { name: "project", lockfileVersion: 3, requires: true, packages };
  return { "package.json": JSON.stringify(manifest), "package-lock.json": JSON.stringify(lock) };
}

/** A project with such a dependency, below a folder of its own, and the tarball if the specifier names one. */
function installed(specifier: string) {
  const folder = mkdtempSync(join(tmpdir(), "tarball-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const root = join(folder, "project");
  const tarball = resolve(root, specifier.replace(/^file:/, ""));
  mkdirSync(join(root, "lib"), { recursive: true });
  mkdirSync(resolve(tarball, ".."), { recursive: true });
  if (specifier.endsWith(".tgz")) writeFileSync(tarball, "an archive");
  for (const [file, text] of Object.entries(manifests(specifier))) writeFileSync(join(root, file), text);
  return { root, tarball, read: (file: string) => readFileSync(join(root, file), "utf8") };
}

test.each(["file:../restbound-0.1.0.tgz", "file:../my #1 builds/restbound-0.1.0.tgz"])(
  "%s is copied into the project, and npm's files name the copy",
  (specifier) => {
    const { root, read } = installed(specifier);
    const path = "vendor/restbound-0.1.0.tgz";
    expect(keepTarball(root)).toEqual({ path, isNew: true });
    expect(read(path)).toBe("an archive");
    for (const [file, text] of Object.entries(manifests(`file:${path}`)))
      expect(JSON.parse(read(file))).toEqual(JSON.parse(text));
    expect(keepTarball(root)).toEqual({ path, isNew: false });
  },
);

test("a tarball in the project stays where it is", () => {
  const { root, read } = installed("file:lib/restbound.tgz");
  expect(keepTarball(root)).toEqual({ path: "lib/restbound.tgz", isNew: false });
  expect(existsSync(join(root, "vendor"))).toBe(false);
  expect(read("package.json")).toBe(manifests("file:lib/restbound.tgz")["package.json"]);
});

test.each(["0.1.0", "^0.1.0", "https://example.com/restbound-0.1.0.tar.gz", "file:../gone.tar.gz"])(
  "%s is left to npm",
  (specifier) => {
    const { root, read } = installed(specifier);
    expect(keepTarball(root)).toBeUndefined();
    expect(read("package-lock.json")).toBe(manifests(specifier)["package-lock.json"]);
  },
);

test("init says that it copied the tarball, and that git would leave it out; the Dockerfile copies it before npm ci", async () => {
  const { root, read, remove } = emptyProject();
  onTestFinished(remove);
  const { root: other, tarball } = installed("file:../restbound-0.1.0.tgz");
  const specifier = `file:${tarball}`;
  for (const [file, text] of Object.entries(manifests(specifier))) writeFileSync(join(root, file), text);
  execFileSync("git", ["init", "-q", "--template="], { cwd: root });
  writeFileSync(join(root, ".gitignore"), "node_modules\n*.tgz\n");
  const document = join(import.meta.dirname, "../../another-api/spec/openapi.yaml");
  const { out } = await ran(root, ["--openapi", document], init);
  expect(out).toContain("wrote vendor/restbound-0.1.0.tgz\n");
  expect(out).toContain("commit it: git add --force vendor/restbound-0.1.0.tgz, because .gitignore names it");
  expect(isIgnored(other, "package.json")).toBe(false);
  const copies = 'COPY package.json package-lock.json ./\nCOPY ["vendor/restbound-0.1.0.tgz","./vendor/';
  expect(read("Dockerfile").split(copies)).toHaveLength(3);
});
