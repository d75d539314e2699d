/** What `restbound init --deploy` writes into a project of two documents: the validators of our own files take it. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { addDeployFiles } from "../../../src/engine/build/init/copy-deploy-folders.ts";
import { listFiles } from "../../../src/engine/shared/list-files.ts";
import { hasKubectl, kubectl } from "./kubectl.ts";
import { faultsOf, type Manifest } from "./manifest-types.ts";

const root = mkdtempSync(join(tmpdir(), "deployed-"));
afterAll(() => rmSync(root, { recursive: true }));
mkdirSync(join(root, "spec/openapi"), { recursive: true });
mkdirSync(join(root, "src"));
writeFileSync(join(root, "src/main.ts"), "");
writeFileSync(join(root, "package.json"), '{ "name": "@acme/Shop_api" }');
for (const name of ["shop", "crm-eu"]) {
  const document = {
    openapi: "3.1.0",
    info: { title: name, version: "1" },
    servers: [{ url: `https://${name}.example.org` }],
  };
  writeFileSync(join(root, `spec/openapi/${name}.yaml`), JSON.stringify({ ...document, paths: {} }));
}
addDeployFiles(root);

const has = (command: string): boolean => spawnSync(command, ["--version"]).error === undefined;
const ran = (command: string, args: readonly string[], cwd = root) => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  return { status, stdout, stderr };
};

test.skipIf(!hasKubectl)("Kubernetes: the overlay builds, with the addresses of both documents", () => {
  const { status, stdout, stderr } = ran(kubectl(), ["kustomize", "deploy/kubernetes/overlay"]);
  expect([status, stderr]).toEqual([0, ""]);
  const all: Manifest[] = parseAllDocuments(stdout).map((document) => document.toJS());
  expect(faultsOf(all)).toEqual([]);
  expect(new Set(all.map(({ metadata }) => metadata.namespace ?? metadata.name))).toEqual(
    new Set(["shop-api"]),
  );
  expect(all.find(({ kind }) => kind === "ConfigMap").data).toMatchObject({
    REST_BASE_URL_SHOP: "https://shop.example.org",
    REST_BASE_URL_CRM_EU: "https://crm-eu.example.org",
  });
});

test.skipIf(!has("systemd-analyze"))("systemd takes the unit", () => {
  const [name = ""] = listFiles(join(root, "deploy/systemd"));
  expect(name).toBe("shop-api@.service");
  const unit = join(root, name);
  const text = ran("cat", [join("deploy/systemd", name)]).stdout.replaceAll("/opt/shop-api", root);
  writeFileSync(unit, text.replaceAll("/usr/bin/node", process.execPath));
  expect(ran("systemd-analyze", ["verify", unit])).toEqual({ status: 0, stdout: "", stderr: "" });
});

test
  .skipIf(!has("promtool"))
  .each([[["check", "rules", "alerts.yaml"]], [["check", "config", "prometheus.yaml"]]])(
  "promtool %j",
  (args) => {
    const { status, stdout, stderr } = ran("promtool", args, join(root, "deploy/prometheus"));
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining("SUCCESS")]);
  },
);
