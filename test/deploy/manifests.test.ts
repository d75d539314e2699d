/** The files of deploy/ hold together, and stock validators take them. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { roleNames } from "../../src/engine/config.ts";
import { secrets, variables } from "../../src/engine/settings/environment.ts";
import { typeErrors } from "../codegen/type-check.ts";

const deploy = join(import.meta.dirname, "../../deploy");
const read = (path: string): string => readFileSync(join(deploy, path), "utf8");

// biome-ignore lint/suspicious/noExplicitAny: manifests are of many kinds
type Manifest = any;

const files = readdirSync(join(deploy, "kubernetes")).filter((name) => name !== "kustomization.yaml");
const manifests: Manifest[] = files.flatMap((name) =>
  parseAllDocuments(read(`kubernetes/${name}`)).map((document) => document.toJS()),
);
const ofKind = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);

/** What the compiler says against Kubernetes' own OpenAPI document, as `kubernetes-types` writes it in TypeScript. */
function faultsOf(given: readonly Manifest[]): string[] {
  const texts = given.map((manifest, index) => {
    const [version, group = "core"] = manifest.apiVersion.split("/").reverse();
    const module = `kubernetes-types/${group.split(".")[0]}/${version}.d.ts`;
    const text = `import type { ${manifest.kind} } from "${module}";
export const manifest: ${manifest.kind} = ${JSON.stringify(manifest, null, 2)};`;
    return [`test/deploy/manifest${index}.ts`, text] as const;
  });
  return typeErrors(new Map(texts));
}

describe("kubernetes", () => {
  test("each manifest is valid, and a wrong one is not", () => {
    expect(manifests.map(({ kind }) => kind).sort()).toEqual(
      [
        ...["ConfigMap", "Deployment", "Deployment", "Namespace", "NetworkPolicy", "NetworkPolicy"],
        ...["PodDisruptionBudget", "PodDisruptionBudget", "Service", "Service"],
      ].sort(),
    );
    expect(faultsOf(manifests)).toEqual([]);
    const [deployment] = ofKind("Deployment");
    const [policy] = ofKind("NetworkPolicy");
    expect(faultsOf([{ ...deployment, spec: { ...deployment.spec, replicas: "two" } }])).toHaveLength(1);
    expect(faultsOf([{ ...policy, spec: { ...policy.spec, podSelecter: {} } }])).toHaveLength(1);
  });

  test("kustomization.yaml names every file", () => {
    expect(parse(read("kubernetes/kustomization.yaml")).resources.sort()).toEqual(files.sort());
  });

  test("variables are ours, secrets come by reference", () => {
    const settings = Object.keys(ofKind("ConfigMap")[0].data);
    const own = ofKind("Deployment").flatMap(({ spec }) => spec.template.spec.containers[0].env);
    const names = [...settings, ...own.map(({ name }: { name: string }) => name)];
    const known = [...Object.keys(variables), ...secrets.map((name) => `${name}_FILE`), "NODE_OPTIONS"];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    expect(settings.filter((name) => (secrets as readonly string[]).includes(name))).toEqual([]);
  });

  test("selectors, ports, probes and the stop fit each other and the program", () => {
    const { STOP_TIMEOUT_MS, DRAIN_MS } = ofKind("ConfigMap")[0].data;
    expect(Number(DRAIN_MS)).toBeLessThan(Number(STOP_TIMEOUT_MS));
    for (const { metadata, spec } of ofKind("Deployment")) {
      const { labels } = spec.template.metadata;
      const [container] = spec.template.spec.containers;
      const component = { "app.kubernetes.io/component": metadata.name };
      expect(labels).toMatchObject(component);
      expect(spec.selector.matchLabels).toEqual(component);
      for (const kind of ["Service", "PodDisruptionBudget"]) {
        const other = ofKind(kind).find((manifest) => manifest.metadata.name === metadata.name);
        expect(other.spec.selector.matchLabels ?? other.spec.selector).toEqual(component);
      }
      const policy = ofKind("NetworkPolicy").find((manifest) => manifest.metadata.name === metadata.name);
      expect(policy.spec.podSelector.matchLabels).toEqual(component);
      expect(roleNames).toContain(container.args[0]);
      expect(container.readinessProbe.httpGet.path).toBe("/readyz");
      expect([container.livenessProbe, container.startupProbe].map(({ httpGet }) => httpGet.path)).toEqual([
        "/healthz",
        "/healthz",
      ]);
      expect(spec.template.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(
        Number(STOP_TIMEOUT_MS),
      );
      // the notice lasts until the probe has failed and the balancers know
      expect(Number(DRAIN_MS)).toBeGreaterThan(container.readinessProbe.periodSeconds * 1_000);
    }
    const [graphql] = ofKind("NetworkPolicy").filter(({ metadata }) => metadata.name === "graphql");
    expect(graphql.spec.ingress[0].from).toEqual([
      { podSelector: { matchLabels: { "app.kubernetes.io/component": "gateway" } } },
    ]);
  });
});

describe("Dockerfile", () => {
  const dockerfile = read("Dockerfile");

  test("copies what the ignore file lets in, and that is there", () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = ""]) =>
      names.split(" "),
    );
    const letIn = [...read("Dockerfile.dockerignore").matchAll(/^!(.*)$/gm)].map(([, name]) => name);
    // a file of a folder that is let in may be copied before the folder
    const alone = copied.filter((name) => !letIn.some((folder) => name.startsWith(`${folder}/`)));
    expect([...new Set(alone)].sort()).toEqual(letIn.sort());
    expect(copied.filter((name) => !existsSync(join(deploy, "..", name)))).toEqual([]);
  });

  test("its variables are ours, its user is nobody", () => {
    const names = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, pairs = ""]) =>
      pairs.split(" ").map((pair) => pair.replace(/=.*/, "")),
    );
    expect(names.filter((name) => !(name in variables))).toEqual([]);
    expect(dockerfile).toMatch(/^USER 65534:65534$/m);
  });
});

const has = (command: string): boolean => spawnSync(command, ["--version"]).error === undefined;
const promtool = (...args: string[]) =>
  spawnSync("promtool", args, { cwd: join(deploy, "prometheus"), encoding: "utf8" });

describe.skipIf(!has("promtool"))("prometheus", () => {
  test.each([
    [["check", "rules", "alerts.yaml"]],
    [["check", "config", "prometheus.yaml"]],
    [["test", "rules", "alerts.test.yaml"]],
  ])("promtool %j", (args) => {
    const { status, stdout, stderr } = promtool(...args);
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining("SUCCESS")]);
  });
});

test("each alert is tested, and the guide says what it means", () => {
  const { groups } = parse(read("prometheus/alerts.yaml"));
  const names: string[] = groups[0].rules.map(({ alert }: { alert: string }) => alert);
  const { tests } = parse(read("prometheus/alerts.test.yaml"));
  const fired = tests.flatMap(({ alert_rule_test }: Manifest) =>
    alert_rule_test.flatMap(({ alertname, exp_alerts }: Manifest) =>
      exp_alerts.length > 0 ? [alertname] : [],
    ),
  );
  expect(fired.sort()).toEqual([...names].sort());
  const guide = readFileSync(join(deploy, "../docs/operating.md"), "utf8");
  expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});
