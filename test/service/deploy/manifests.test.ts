/** The files of deploy/ hold together, and stock validators take them. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";
import { roleNames } from "../../../src/engine/runtime/settings/config.ts";
import { secrets, variables } from "../../../src/engine/runtime/settings/environment.ts";
import { hasKubectl, kubectl } from "./kubectl.ts";
import { faultsOf, type Manifest } from "./manifest-types.ts";
import { panels } from "./panels.ts";

const deploy = join(import.meta.dirname, "../../../deploy");
const read = (path: string): string => readFileSync(join(deploy, path), "utf8");

const has = (command: string): boolean => spawnSync(command, ["--version"]).error === undefined;

const components = readdirSync(join(deploy, "kubernetes/components")).map((name) => `components/${name}`);
const folders = ["base", "overlay", ...components];
const kustomization = (folder: string): Manifest => parse(read(`kubernetes/${folder}/kustomization.yaml`));
const documentsOf = (text: string): Manifest[] => parseAllDocuments(text).map((one) => one.toJS());
const manifests = folders.flatMap((folder) =>
  (kustomization(folder).resources ?? []).flatMap((name: string) =>
    name.startsWith("..") ? [] : documentsOf(read(`kubernetes/${folder}/${name}`)),
  ),
) as Manifest[];
const settings = Object.fromEntries(
  [...read("kubernetes/base/settings.env").matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
    name,
    value,
  ]),
);
const ofKind = (kind: string, given = manifests): Manifest[] =>
  given.filter((manifest) => manifest.kind === kind);

/** What kustomize builds of a folder. */
function build(folder: string): Manifest[] {
  const path = join(deploy, "kubernetes", folder);
  const { status, stdout, stderr } = spawnSync(kubectl(), ["kustomize", path], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  return documentsOf(stdout);
}

/** Whether policies let pods of the component connect to an address, or to the pods of a namespace. */
function reaches(component: string, to: string, port: number): boolean {
  const labels: Record<string, string> = {
    "app.kubernetes.io/component": component,
    "app.kubernetes.io/name": "messaging-graphql",
  };
  const isIn = (blocks: readonly string[]): boolean =>
    blocks.some((block) => {
      const [net = "", bits] = block.split("/");
      const family = isIP(net) === 6 ? "ipv6" : "ipv4";
      const list = new BlockList();
      list.addSubnet(net, Number(bits), family);
      return isIP(net) === isIP(to) && list.check(to, family);
    });
  const isPeer = ({ ipBlock, namespaceSelector }: Manifest): boolean =>
    isIP(to) > 0
      ? ipBlock !== undefined && isIn([ipBlock.cidr]) && !isIn(ipBlock.except ?? [])
      : namespaceSelector?.matchLabels["kubernetes.io/metadata.name"] === to;
  return ofKind("NetworkPolicy")
    .filter(({ spec }) =>
      Object.entries(spec.podSelector.matchLabels).every(([name, value]) => labels[name] === value),
    )
    .flatMap(({ spec }) => spec.egress)
    .some((rule) => rule.to.some(isPeer) && rule.ports.some((one: Manifest) => one.port === port));
}

describe("kubernetes", () => {
  test("each manifest is valid, and a wrong one is not", () => {
    expect(faultsOf(manifests)).toEqual([]);
    const wrong: [kind: string, spec: object][] = [
      ["Deployment", { replicas: "two" }],
      ["NetworkPolicy", { podSelecter: {} }],
      ["PodMonitor", { podMetricsEndpoint: [] }],
      ["PrometheusRule", { group: [] }],
      ["HTTPRoute", { hostname: "a" }],
      ["ScaledObject", { minReplicas: 3 }],
      ["ExternalSecret", { refreshIntervall: "5m" }],
    ];
    for (const [kind, spec] of wrong) {
      const [manifest] = ofKind(kind);
      expect(faultsOf([{ ...manifest, spec: { ...manifest.spec, ...spec } }]), kind).toHaveLength(1);
    }
  });

  test.skipIf(!hasKubectl)("kustomize builds the base alone", () => {
    const all = build("base");
    expect(faultsOf(all)).toEqual([]);
    expect(ofKind("HorizontalPodAutoscaler", all)).toHaveLength(2);
  });

  test.skipIf(!hasKubectl)(
    "kustomize builds the overlay: a digest, a hash of the settings, mounts and Secrets that exist",
    () => {
      const all = build("overlay");
      expect(faultsOf(all)).toEqual([]);
      expect(
        all.filter(
          ({ kind, metadata }) => kind !== "Namespace" && metadata.namespace !== "messaging-graphql",
        ),
      ).toEqual([]);
      const [config] = ofKind("ConfigMap", all);
      expect(config.metadata.name).toMatch(/^settings-[a-z0-9]{10}$/);
      const secretNames = ofKind("ExternalSecret", all).map(({ spec }) => spec.target.name);
      for (const { spec } of ofKind("Deployment", all)) {
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
        const isMounted = (path: string): boolean => paths.includes(path) || paths.includes(dirname(path));
        expect(files.filter((file) => !isMounted(file))).toEqual([]);
        const mountedSecrets = volumes.flatMap(({ secret, projected }: Manifest) =>
          secret
            ? [secret.secretName]
            : (projected?.sources ?? []).map((source: Manifest) => source.secret.name),
        );
        expect(secretNames).toEqual(expect.arrayContaining(mountedSecrets));
      }
      // KEDA makes the autoscalers
      expect(ofKind("HorizontalPodAutoscaler", all)).toEqual([]);
      expect(ofKind("ScaledObject", all)).toHaveLength(2);
    },
  );

  test.skipIf(!hasKubectl)("vendors' credentials are files for the graphql role alone", () => {
    const held = ofKind("Deployment", build("overlay")).map(({ metadata, spec }) => {
      const [{ env, volumeMounts }] = spec.template.spec.containers;
      const directory = env.find(({ name }: Manifest) => name === "CREDENTIALS_DIRECTORY")?.value;
      const mount = volumeMounts.find(({ mountPath }: Manifest) => mountPath === directory);
      const volume = spec.template.spec.volumes.find(({ name }: Manifest) => name === mount?.name);
      return [metadata.name, volume?.projected.sources.map(({ secret }: Manifest) => secret.name)];
    });
    expect(Object.fromEntries(held)).toEqual({ gateway: undefined, graphql: ["vendors", "tracker"] });
  });

  test("the overlay has every component", () => {
    expect(kustomization("overlay").components).toEqual(components.map((name) => `../${name}`));
  });

  test("the Prometheus operator gets the groups of alerts.yaml, and the targets have its job", () => {
    const [rule] = ofKind("PrometheusRule");
    expect(rule.spec).toEqual(readPrometheus("alerts.yaml"));
    const jobs = [...read("prometheus/alerts.yaml").matchAll(/up\{job="([^"]+)"\} == 0/g)].map(
      ([, job]) => job,
    );
    const [monitor] = ofKind("PodMonitor");
    for (const { spec } of ofKind("Deployment")) {
      const { labels } = spec.template.metadata;
      expect(labels).toMatchObject(monitor.spec.selector.matchLabels);
      expect(jobs).toContain(labels[monitor.spec.jobLabel]);
    }
  });

  test("the command in the head of the PrometheusRule writes it again", () => {
    const folder = mkdtempSync(join(tmpdir(), "rules-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    cpSync(deploy, folder, { recursive: true });
    const path = "kubernetes/components/prometheus-operator/prometheus-rule.yaml";
    const [commands = ""] = /(?:^# {3}.*\n)+/m.exec(read(path)) ?? [];
    const alerts = read("prometheus/alerts.yaml").replaceAll("docs.example.com", "runbooks.example.org");
    writeFileSync(join(folder, "prometheus/alerts.yaml"), alerts);
    const cwd = join(folder, dirname(path));
    const { status } = spawnSync("sh", ["-ec", commands.replaceAll(/^# {3}/gm, "")], { cwd });
    expect(status).toBe(0);
    const written = readFileSync(join(folder, path), "utf8");
    expect(written).toBe(read(path).replaceAll("docs.example.com", "runbooks.example.org"));
  });

  test("replicas survive the loss of a zone, and KEDA scales as the base does", () => {
    for (const { metadata, spec } of ofKind("Deployment")) {
      const [zones] = spec.template.spec.topologySpreadConstraints;
      expect(zones).toMatchObject({
        topologyKey: "topology.kubernetes.io/zone",
        whenUnsatisfiable: "DoNotSchedule",
        // otherwise the pods of a zone that is down would wait for it
        nodeTaintsPolicy: "Honor",
      });
      const [scaler] = ofKind("HorizontalPodAutoscaler").filter(
        (manifest) => manifest.spec.scaleTargetRef.name === metadata.name,
      );
      const [{ resource }] = scaler.spec.metrics;
      expect(scaler.spec.metrics).toHaveLength(1); // others need an adapter, which a cluster may not have
      expect(scaler.spec.minReplicas).toBeGreaterThanOrEqual(3);
      const [scaled] = ofKind("ScaledObject").filter(
        (manifest) => manifest.spec.scaleTargetRef.name === metadata.name,
      );
      expect(scaled.spec).toMatchObject({
        minReplicaCount: scaler.spec.minReplicas,
        maxReplicaCount: scaler.spec.maxReplicas,
        advanced: {
          horizontalPodAutoscalerConfig: { name: scaler.metadata.name, behavior: scaler.spec.behavior },
        },
      });
      const [cpu, requests] = scaled.spec.triggers;
      expect(cpu.metadata.value).toBe(String(resource.target.averageUtilization));
      const [, metric, role] = /^sum\((\w+)\{namespace="messaging-graphql",role="(\w+)"\}\)$/.exec(
        requests.metadata.query,
      ) as string[];
      expect(role).toBe(metadata.name);
      expect(readFileSync("docs/reference/metrics.md", "utf8")).toContain(
        `| \`${metric}\` | gauge | \`role\` |`,
      );
    }
  });

  test("pods reach name servers, REST, Redis and the collector, inside and outside the cluster, and no metadata service", () => {
    const dns = 53;
    const rest = 443;
    const redis = 6_379;
    const collector = 4_318;
    const all = ["169.254.20.10", "kube-system"].map((to) => [to, dns] as const);
    const outside = ["203.0.113.7", "2001:db8::7", "10.1.2.3"].map((to) => [to, rest] as const);
    const inside = [["api", 8_443] as const, ["observability", collector] as const];
    for (const component of ["gateway", "graphql"]) {
      for (const [to, port] of [...all, ...outside, ...inside])
        expect([to, port, reaches(component, to, port)]).toEqual([to, port, true]);
      for (const to of ["169.254.169.254", "fe80::1", "fd00:ec2::254", "other"])
        expect([to, reaches(component, to, 80)]).toEqual([to, false]);
      expect(reaches(component, "169.254.169.254", rest)).toBe(false);
      for (const to of ["203.0.113.7", "2001:db8::7", "redis"])
        expect([to, reaches(component, to, redis)]).toEqual([to, component === "gateway"]);
    }
  });

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

  test.each(folders)("each file of %s is named", (folder) => {
    const { resources = [], patches = [], configMapGenerator = [] } = kustomization(folder);
    const named = [
      ...resources.filter((name: string) => !name.startsWith("..")),
      ...patches.flatMap(({ path = [] }: Manifest) => path),
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

const runbook = readFileSync("docs/reference/alerts.md", "utf8");
const firstSteps = (alert: string): string =>
  runbook.split(`\n## ${alert}\n`)[1]?.split("\n## ")[0]?.split("\n\nFirst: ")[1] ?? "";
const queriesOf = (text: string): string[] =>
  [...text.matchAll(/[Qq]uery `([^`]+)`/g)].flatMap(([, query = []]) => query);

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
    for (const { alert = "", annotations } of alerts) {
      expect(runbook).toContain(`\n## ${alert}\n`);
      expect(annotations?.runbook_url).toBe(
        `https://docs.example.com/reference/alerts.md#${alert.toLowerCase()}`,
      );
    }
  });

  test("begins its first steps with panels of the dashboard or with queries", () => {
    const titles = panels.map(({ row, title }) => `${row}: ${title}`);
    for (const { alert = "" } of alerts) {
      const first = firstSteps(alert);
      const named = [...first.matchAll(/\*([A-Z][^*:]*: [^*]+)\*/g)].map(([, title]) => title);
      expect(titles, alert).toEqual(expect.arrayContaining(named));
      expect([...named, ...queriesOf(first)], alert).not.toEqual([]);
    }
  });

  test("of the table of alerts that fire together exists", () => {
    const [table = ""] = /^\| together[\s\S]*?\n\n/m.exec(runbook) ?? [];
    const names = [...table.matchAll(/`([A-Z][a-z]\w+)`/g)].map(([, name]) => name);
    expect(new Set(names).size).toBeGreaterThan(15);
    expect(alerts.map(({ alert }) => alert)).toEqual(expect.arrayContaining(names));
  });
});

test("Alertmanager's configuration names alerts that exist", () => {
  const { groups } = readPrometheus("alerts.yaml") as Rules;
  const names = groups.flatMap(({ rules }) => rules.flatMap(({ alert = [] }) => alert));
  const { inhibit_rules: rules } = readPrometheus("alertmanager.yaml") as {
    inhibit_rules: { source_matchers: string[]; target_matchers: string[] }[];
  };
  const named = rules.flatMap(({ source_matchers: source, target_matchers: target }) =>
    [...source, ...target].flatMap((matcher) => matcher.match(/(?<=["|])\w+/g) ?? []),
  );
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});

test.skipIf(!has("amtool"))("amtool takes Alertmanager's configuration, and pages wake somebody", () => {
  const amtool = (...args: string[]) =>
    spawnSync("amtool", args, { cwd: join(deploy, "prometheus"), encoding: "utf8" });
  const { status, stdout, stderr } = amtool("check-config", "alertmanager.yaml");
  expect([status, stdout + stderr]).toEqual([0, expect.stringContaining("SUCCESS")]);
  const route = (severity: string): string =>
    amtool(
      "config",
      "routes",
      "test",
      "--config.file=alertmanager.yaml",
      `severity=${severity}`,
    ).stdout.trim();
  expect([route("page"), route("ticket")]).toEqual(["pager", "tickets"]);
});

describe.skipIf(!has("promtool"))("prometheus", () => {
  test.each([
    [["check", "rules", "alerts.yaml"]],
    [["check", "config", "prometheus.yaml"]],
    [["test", "rules", "alerts.test.yaml"]],
    [["test", "rules", "alerts-timing.test.yaml"]],
  ])("promtool %j", (args) => {
    const { status, stdout, stderr } = promtool(...args);
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining("SUCCESS")]);
  });

  test("promtool parses the queries of docs/reference/alerts.md", () => {
    const folder = mkdtempSync(join(tmpdir(), "queries-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const rules = queriesOf(runbook).map((expr, index) => ({ record: `query_${index}`, expr }));
    expect(rules.length).toBeGreaterThan(15);
    writeFileSync(join(folder, "rules.yaml"), stringify({ groups: [{ name: "runbook", rules }] }));
    const { status, stdout, stderr } = promtool("check", "rules", join(folder, "rules.yaml"));
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining("SUCCESS")]);
  });
});
