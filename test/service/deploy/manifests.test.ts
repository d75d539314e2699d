/** The files of deploy/ hold together, and stock validators take them. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { roleNames } from "../../../src/engine/runtime/settings/config.ts";
import { secrets, variables } from "../../../src/engine/runtime/settings/environment.ts";
import { typeErrors } from "../../engine/build/codegen/type-check.ts";

const deploy = join(import.meta.dirname, "../../../deploy");
const read = (path: string): string => readFileSync(join(deploy, path), "utf8");

const has = (command: string): boolean => spawnSync(command, ["--version"]).error === undefined;
const hasKubectl = has("kubectl");

// biome-ignore lint/suspicious/noExplicitAny: manifests are of many kinds
type Manifest = any;

const kustomization = (folder: string): Manifest => parse(read(`kubernetes/${folder}/kustomization.yaml`));
const resources = ["base", "overlay"].flatMap((folder) =>
  kustomization(folder).resources.flatMap((name: string) =>
    name.startsWith("..") ? [] : `${folder}/${name}`,
  ),
);
const manifests: Manifest[] = resources.flatMap((name) =>
  parseAllDocuments(read(`kubernetes/${name}`)).map((document) => document.toJS()),
);
const settings = Object.fromEntries(
  [...read("kubernetes/base/settings.env").matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
    name,
    value,
  ]),
);
const ofKind = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);

/** The packages that have the types of custom resources, by API group. */
const customResources = new Map([
  ["monitoring.coreos.com", "prometheus-operator"],
  ["gateway.networking.k8s.io", "gateway-api"],
]);

/**
 * What the compiler says against the schemas of Kubernetes, the Gateway API and the Prometheus operator, which packages have in TypeScript:
 * a member that no schema has is a fault too.
 */
function faultsOf(given: readonly Manifest[]): string[] {
  const texts = given.map((manifest, index) => {
    const [version, group = "core"] = manifest.apiVersion.split("/").reverse();
    const custom = customResources.get(group);
    const module = custom
      ? `@kubernetes-models/${custom}/${group}/${version}/${manifest.kind}`
      : `kubernetes-types/${group.split(".")[0]}/${version}.d.ts`;
    const type = custom ? `I${manifest.kind}` : manifest.kind;
    const text = `import type { ${type} } from "${module}";
export const manifest: ${type} = ${JSON.stringify(manifest, null, 2)};`;
    return [`test/service/deploy/manifest${index}.ts`, text] as const;
  });
  return typeErrors(new Map(texts));
}

describe("kubernetes", () => {
  test("each manifest is valid, and a wrong one is not", () => {
    expect(manifests.map(({ kind }) => kind).sort()).toEqual(
      [
        ...["Deployment", "Deployment", "HTTPRoute", "HorizontalPodAutoscaler", "HorizontalPodAutoscaler"],
        ...["Namespace", "NetworkPolicy", "NetworkPolicy", "PodDisruptionBudget", "PodDisruptionBudget"],
        ...["PodMonitor", "Service", "Service"],
      ].sort(),
    );
    expect(faultsOf(manifests)).toEqual([]);
    const [deployment] = ofKind("Deployment");
    const [policy] = ofKind("NetworkPolicy");
    expect(faultsOf([{ ...deployment, spec: { ...deployment.spec, replicas: "two" } }])).toHaveLength(1);
    expect(faultsOf([{ ...policy, spec: { ...policy.spec, podSelecter: {} } }])).toHaveLength(1);
    const [monitor] = ofKind("PodMonitor");
    expect(faultsOf([{ ...monitor, spec: { ...monitor.spec, podMetricsEndpoint: [] } }])).toHaveLength(1);
    const [route] = ofKind("HTTPRoute");
    expect(faultsOf([{ ...route, spec: { ...route.spec, hostname: "a" } }])).toHaveLength(1);
  });

  test.skipIf(!hasKubectl)(
    "kustomize builds the overlay: a digest, a hash of the settings, mounts that exist",
    () => {
      const built = spawnSync("kubectl", ["kustomize", join(deploy, "kubernetes/overlay")], {
        encoding: "utf8",
      });
      expect([built.status, built.stderr]).toEqual([0, ""]);
      const all: Manifest[] = parseAllDocuments(built.stdout).map((document) => document.toJS());
      expect(faultsOf(all)).toEqual([]);
      expect(
        all.filter(
          ({ kind, metadata }) => kind !== "Namespace" && metadata.namespace !== "messaging-graphql",
        ),
      ).toEqual([]);
      const [config] = all.filter(({ kind }) => kind === "ConfigMap");
      expect(config.metadata.name).toMatch(/^settings-[a-z0-9]{10}$/);
      for (const { spec } of all.filter(({ kind }) => kind === "Deployment")) {
        const { containers, volumes } = spec.template.spec;
        const [{ image, envFrom, volumeMounts, env }] = containers;
        expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
        expect(envFrom).toEqual([{ configMapRef: { name: config.metadata.name } }]);
        const mounted = volumeMounts.map(({ name }: Manifest) => name);
        expect(mounted).toEqual(volumes.map(({ name }: Manifest) => name));
        const files = [...env.map(({ value }: Manifest) => value), config.data.NODE_EXTRA_CA_CERTS].filter(
          (value) => value.startsWith("/"),
        );
        const paths = volumeMounts.map(({ mountPath }: Manifest) => mountPath);
        expect(files.filter((file) => !paths.includes(dirname(file)))).toEqual([]);
      }
    },
  );

  test("a container has a read-only file system, no root user and no capabilities", () => {
    for (const { spec } of ofKind("Deployment")) {
      const { containers, securityContext, automountServiceAccountToken } = spec.template.spec;
      expect(containers[0].securityContext).toEqual({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      });
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_534 });
      expect(automountServiceAccountToken).toBe(false);
    }
  });

  test.each(["base", "overlay"])("each file of %s is named", (folder) => {
    const { resources, patches = [], configMapGenerator } = kustomization(folder);
    const named = [
      ...resources.filter((name: string) => !name.startsWith("..")),
      ...patches.map(({ path }: Manifest) => path),
      ...configMapGenerator.flatMap(({ envs = [] }: Manifest) => envs),
    ];
    const files = readdirSync(join(deploy, "kubernetes", folder));
    expect(named.sort()).toEqual(files.filter((name) => name !== "kustomization.yaml").sort());
  });

  test("variables are ours, secrets come by reference", () => {
    const set = Object.keys(settings);
    const own = ofKind("Deployment").flatMap(({ spec }) => spec.template.spec.containers[0].env);
    const names = [...set, ...own.map(({ name }: { name: string }) => name)];
    const known = [...Object.keys(variables), ...secrets.map((name) => `${name}_FILE`), "NODE_OPTIONS"];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    expect(set.filter((name) => (secrets as readonly string[]).includes(name))).toEqual([]);
  });

  test("selectors, ports, probes and the stop fit each other and the program", () => {
    const { STOP_TIMEOUT_MS, DRAIN_MS } = settings;
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
      const { periodSeconds, failureThreshold } = container.readinessProbe;
      expect(Number(DRAIN_MS)).toBeGreaterThan(periodSeconds * failureThreshold * 1_000);
      const [scaler] = ofKind("HorizontalPodAutoscaler").filter(
        (manifest) => manifest.spec.scaleTargetRef.name === metadata.name,
      );
      expect(scaler.spec.minReplicas).toBeGreaterThan(1);
      expect(spec.replicas).toBeUndefined(); // an apply would undo what the autoscaler did
    }
    const [graphql] = ofKind("NetworkPolicy").filter(({ metadata }) => metadata.name === "graphql");
    expect(graphql.spec.ingress[0].from).toEqual([
      { podSelector: { matchLabels: { "app.kubernetes.io/component": "gateway" } } },
    ]);
  });
});

test.skipIf(!has("systemd-analyze"))("systemd takes each unit", () => {
  const folder = mkdtempSync(join(tmpdir(), "units-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const units = readdirSync(join(deploy, "systemd")).map((name) => {
    const unit = join(folder, name);
    const text = read(`systemd/${name}`).replaceAll("/opt/messaging-graphql", dirname(deploy));
    writeFileSync(unit, text.replaceAll("/usr/bin/node", process.execPath));
    return unit;
  });
  expect(units).toHaveLength(1);
  const { stdout, stderr, status } = spawnSync("systemd-analyze", ["verify", ...units], { encoding: "utf8" });
  expect({ said: stdout + stderr, status }).toEqual({ said: "", status: 0 });
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

  test("its base image is one, pinned by its digest", () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(new Set(bases)).toEqual(new Set([expect.stringMatching(/^node:24-\S+@sha256:[0-9a-f]{64}$/)]));
  });

  test("it sets known variables, and its user is not root", () => {
    const names = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, pairs = ""]) =>
      pairs.split(" ").map((pair) => pair.replace(/=.*/, "")),
    );
    expect(names.filter((name) => !(name in variables))).toEqual([]);
    expect(dockerfile).toMatch(/^USER 65534:65534$/m);
  });
});

const promtool = (...args: string[]) =>
  spawnSync("promtool", args, { cwd: join(deploy, "prometheus"), encoding: "utf8" });

/** The parts of the files of Prometheus that the tests below read. */
type Rule = { readonly alert?: string; readonly annotations?: { readonly runbook_url: string } };
type Rules = { readonly groups: { readonly rules: readonly Rule[] }[] };
type RuleTest = { readonly alertname: string; readonly exp_alerts: readonly unknown[] };
type RuleTests = { readonly tests: { readonly alert_rule_test: readonly RuleTest[] }[] };
const readPrometheus = (name: string): unknown =>
  parse(readFileSync(join(deploy, "prometheus", name), "utf8"));

describe("each alert", () => {
  const { groups } = readPrometheus("alerts.yaml") as Rules;
  const alerts = groups.flatMap(({ rules }) => rules.filter(({ alert }) => alert !== undefined));

  test("has a test in which it fires, and one in which it does not", () => {
    const { tests } = readPrometheus("alerts.test.yaml") as RuleTests;
    const checks = tests.flatMap(({ alert_rule_test: of }) => of);
    const tested = (fires: boolean): string[] =>
      checks.filter(({ exp_alerts: expected }) => expected.length > 0 === fires).map((one) => one.alertname);
    const names = alerts.map(({ alert }) => alert);
    expect(names.filter((name = "") => !tested(true).includes(name))).toEqual([]);
    expect(names.filter((name = "") => !tested(false).includes(name))).toEqual([]);
  });

  test("has a section in docs/reference/alerts.md, to which its runbook_url leads", () => {
    const page = readFileSync("docs/reference/alerts.md", "utf8");
    for (const { alert = "", annotations } of alerts) {
      expect(page).toContain(`\n## ${alert}\n`);
      expect(annotations?.runbook_url).toBe(
        `https://docs.example.com/reference/alerts.md#${alert.toLowerCase()}`,
      );
    }
  });
});

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
