/** `restbound init --deploy`; the suite `deploy` validates what it writes. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as init } from "../../../../src/engine/build/init/init-command.ts";
import { withAddress } from "../../../../src/engine/build/init/project-files.ts";
import { listFiles } from "../../../../src/engine/shared/list-files.ts";
import { ran } from "../check/run.ts";

const repository = join(import.meta.dirname, "../../../..");

/** A project with a document, which has this server. */
function projectOf(packageName: string | undefined, server = "https://shop.example.org/v1") {
  const root = mkdtempSync(join(tmpdir(), "Deployed_"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "spec"));
  const document = {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    servers: [{ url: server }],
    paths: {},
  };
  writeFileSync(join(root, "spec/openapi.yaml"), JSON.stringify(document));
  if (packageName !== undefined)
    writeFileSync(join(root, "package.json"), JSON.stringify({ name: packageName }));
  return { root, read: (path: string) => readFileSync(join(root, path), "utf8") };
}

test("it writes the deploy files of this repository, with the project's name and address", async () => {
  const { root, read } = projectOf("shop");
  const { code, out } = await ran(root, ["--deploy"], init);
  expect(code).toBe(0);
  const written = listFiles(root).filter((path) => !/^spec|^package/.test(path));
  expect(out.trim()).toBe(
    `deploy it: wrote ${written.length} files in deploy/grafana, deploy/haproxy, deploy/kubernetes, deploy/prometheus, deploy/systemd, .github/actions`,
  );
  const texts = written.map(read).join("\n");
  expect(written.filter((path) => path.includes("messaging"))).toEqual([]);
  // a word of our service alone
  expect(texts).not.toMatch(/messaging|\bme \{/);
  expect(texts.match(/^.*REST_BASE_URL.*=.*$/gm)).toEqual([
    "REST_BASE_URL=https://shop.example.org/v1",
    "      - REST_BASE_URL=https://shop.example.org/v1",
  ]);
  const cited = texts.match(/(?:[\w./]+\/)?docs\/[\w/-]+\.md/g) ?? [];
  expect(cited.length).toBeGreaterThan(3);
  for (const path of cited) {
    expect(path).toMatch(/^(?:\/opt\/shop\/)?node_modules\/restbound\/docs\//);
    expect(readFileSync(join(repository, path.replace(/.*restbound\//, "")), "utf8")).not.toBe("");
  }
  expect(read(".github/actions/restbound-check/action.yml")).toBe(
    readFileSync(join(repository, "action.yml"), "utf8"),
  );
});

test("files that exist stay as they are", async () => {
  const { root, read } = projectOf("shop");
  await ran(root, ["--deploy"], init);
  writeFileSync(join(root, "deploy/haproxy/haproxy.cfg"), "ours");
  expect(await ran(root, ["--deploy"], init)).toMatchObject({
    code: 0,
    out: "deploy it: wrote 0 files",
  });
  expect(read("deploy/haproxy/haproxy.cfg")).toBe("ours");
});

test.each([
  ["@acme/Shop_api", "shop-api"],
  ["-_-", "api"],
  [`${"a".repeat(39)}.b`, "a".repeat(39)],
  [undefined, expect.stringMatching(/^deployed-[a-z0-9]+(?:-[a-z0-9]+)*$/)],
])("the package %s is deployed as %s", async (packageName, name) => {
  const { root } = projectOf(packageName);
  await ran(root, ["--deploy"], init);
  const [unit = ""] = listFiles(join(root, "deploy/systemd"));
  expect(unit.replace("@.service", "")).toEqual(name);
});

test("a server that is no plain URL is not written", async () => {
  const { root, read } = projectOf("shop", "https://shop.example.org/\nGATEWAY_SECRET=x");
  await ran(root, ["--deploy"], init);
  expect(read("deploy/kubernetes/base/settings.env")).toMatch(/^REST_BASE_URL=https:\/\/api\.example\.com$/m);
});

test("a further document adds its address to the files", async () => {
  const { root } = projectOf("shop");
  await ran(root, ["--deploy"], init);
  const add = (variable: string, base: string | undefined) => {
    const { written } = withAddress(root, variable, base);
    for (const [path, text] of written) writeFileSync(join(root, path), text);
    return [...written.values()].flatMap((text) => text.match(/^.*REST_BASE_URL.*=.*$/gm));
  };
  add("REST_BASE_URL_CRM", "https://crm.example.org");
  const addresses = [
    "REST_BASE_URL=https://shop.example.org/v1",
    "REST_BASE_URL_CRM=https://crm.example.org",
    "REST_BASE_URL_WIKI=https://api.example.com",
  ];
  expect(add("REST_BASE_URL_WIKI", undefined)).toEqual([
    ...addresses,
    ...addresses.map((address) => `      - ${address}`),
  ]);
});

test.each([
  [[], "--openapi: a file or a URL is required"],
  [["--deploy", "--tag", "a"], "--tag: needs --openapi"],
  [["--deploy"], "--deploy: there is no spec/ here; add --openapi"],
])("%j is refused", async (argv, message) => {
  const root = mkdtempSync(join(tmpdir(), "deployed-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const { code, error } = await ran(root, argv, init);
  expect([code, error]).toEqual([2, expect.stringContaining(message)]);
  expect(listFiles(root)).toEqual([]);
});
