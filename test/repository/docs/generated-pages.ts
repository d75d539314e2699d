/**
 * `npm run docs` writes the reference pages that the code can print (rules, directives, variables, error codes, metrics and
 * alerts) and the alerts in the form of the Prometheus operator. With `-- --check` it writes nothing, and fails if one of them is
 * stale.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Fastify, { type FastifyInstance } from "fastify";
import { Kind, type StringValueNode } from "graphql";
import { type Io, processIo, runCommand } from "restbound/role";
import { bindingDefinitions } from "../../../src/engine/build/schema/directives.ts";
import { type Role, readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { secrets, variables } from "../../../src/engine/runtime/settings/environment.ts";
import { MetricFamilies } from "../../../src/engine/server/metrics/metric-families.ts";
import { measure } from "../../../src/engine/server/metrics/metrics.ts";
import { codes } from "../../../src/engine/shared/error-codes.ts";
import { alertBlocks } from "./alerts-page.ts";
import { read, root } from "./page.ts";
import { printedRules } from "./rule-page.ts";

/** The text of each page by its path. */
export async function generatedPages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["docs/reference/rules.md", printedRules(read("docs/reference/rules.md"))],
    ["docs/reference/directives.md", directivesPage()],
    ["docs/reference/variables.md", variablesPage()],
    ["docs/reference/error-codes.md", errorCodesPage()],
    ["docs/reference/metrics.md", await metricsPage()],
    ["docs/reference/alerts.md", page("Alerts", ...alertBlocks())],
    ["deploy/kubernetes/components/prometheus-operator/prometheus-rule.yaml", prometheusRule()],
  ]);
}

const page = (title: string, ...blocks: string[]): string =>
  `${[
    `# ${title}`,
    "<!-- Generated from the code by `npm run docs`. Do not edit. -->",
    ...blocks.map((block) => block.trim()),
  ].join("\n\n")}\n`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`.replaceAll("|  |", "| |");
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

const code = (text: unknown): string =>
  text === undefined || String(text) === "" ? "" : `\`${String(text)}\``;

/** The documented parts of the binding directives: `@rest(operation:)`, `@restEntries`, `RestParam.from`. */
function directivesPage(): string {
  const rows = bindingDefinitions.definitions.flatMap((node) => {
    if (node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
      return (node.fields ?? []).map((field) =>
        directiveRow(`${node.name.value}.${field.name.value}`, field),
      );
    if (node.kind !== Kind.DIRECTIVE_DEFINITION) return [];
    const name = `@${node.name.value}`;
    return node.arguments?.length
      ? node.arguments.map((each) => directiveRow(`${name}(${each.name.value}:)`, each))
      : [directiveRow(name, node)];
  });
  return page(
    "Directives",
    `The arguments of the binding directives, and the members of their input objects. [mapping.md](mapping.md#directive-arguments)
explains how names, values and links work.`,
    table(["argument", "example", "means"], rows),
  );
}

function directiveRow(name: string, { description }: { readonly description?: StringValueNode }): string[] {
  const [means = "", example = ""] = (description?.value ?? "").split("\nExample: ");
  return [code(name), example, means.replaceAll("\n", " ")];
}

function variablesPage(): string {
  const rows = Object.entries(variables).map(([name, { default: value, desc = "" }]) => [
    code(name),
    code(value),
    desc,
  ]);
  const perProduct = [
    code("REST_BASE_URL_<TAG>"),
    "",
    "base URL of one product: the first tag of its operations or the name of its [document](mapping.md#several-documents), upper case, with `_` for `-`",
  ];
  const files = secrets.map((name) => code(`${name}_FILE`)).join(", ");
  return page(
    "Environment variables",
    `Every role reads these variables at its start. \`npm start -- --check-config\` prints the values in force, without secrets. A
variable that looks like a misspelling of one of them (\`MAX_DEPHT\`) is reported at the start.`,
    table(["variable", "default", "meaning"], [...rows, perProduct]),
    `A secret may be in a file instead: ${files} name it. It is re-read within a second.`,
    `Commands read two more: \`OPENAPI_HEADER\`, the header with which \`init\` and \`update\` fetch a private document (\`Authorization: Bearer …\`), by
https or from this machine alone, and \`OPENAPI_HEADER_<NAME>\` for one of [several](mapping.md#several-documents).`,
  );
}

function errorCodesPage(): string {
  const rows = Object.entries(codes).map(([name, { status, meaning }]) => [
    code(name),
    String(status),
    meaning,
  ]);
  return page(
    "Error codes",
    `GraphQL errors carry the code in \`extensions.code\`, REST errors as \`code\` of \`application/problem+json\` with this status.
[requests.md](requests.md#errors) describes the other members of an error.`,
    table(["code", "status", "meaning"], rows),
  );
}

/** The groups of `deploy/prometheus/alerts.yaml` as a custom resource. Its head has the command by which others write it again. */
function prometheusRule(): string {
  const rules = read("deploy/prometheus/alerts.yaml");
  const groups = rules.slice(rules.indexOf("\ngroups:") + 1).replaceAll(/^(?=.)/gm, "  ");
  return `# The groups of deploy/prometheus/alerts.yaml for the Prometheus operator. Change them there, and then here:
#   { sed '/^spec:/q' prometheus-rule.yaml; sed -n '/^groups:/,$ s/^/  /p' ../../../prometheus/alerts.yaml; } > new
#   mv new prometheus-rule.yaml
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: messaging-graphql
spec:
${groups}`;
}

type Metric = {
  readonly name: string;
  readonly type: string;
  readonly labels: string;
  readonly help: string;
};

async function metricsPage(): Promise<string> {
  const rows = (await registeredMetrics()).map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels,
    help,
  ]);
  return page(
    "Metrics",
    `\`METRICS_PORT\` serves these metrics in Prometheus' text format, with those of the process and of Node.js that \`prom-client\`
adds (\`process_…\`, \`nodejs_…\`). Clients cannot add a series: names of operations, apps and versions are bounded, and the others
are counted as \`other\`. A histogram of durations is in seconds. [alerts.md](alerts.md) describes the alerts.`,
    table(["metric", "type", "labels", "meaning"], rows),
  );
}

/** The metrics of a process with all roles, in the order in which they are registered. */
async function registeredMetrics(): Promise<readonly Metric[]> {
  const found: Metric[] = [];
  const restore = [...metricTypes].map(([method, type]) =>
    recordCalls(method, ([name, help, labels]) => {
      found.push({ name, type, help, labels: labelNames(labels).map(code).join(", ") });
    }),
  );
  try {
    measure(readConfig({}, []), allRoles(), "").end();
  } finally {
    for (const each of restore) each();
  }
  return found;
}

/** The methods that register metrics, and the types of the metrics. */
const metricTypes: ReadonlyMap<keyof MetricFamilies, string> = new Map([
  ["observableCounter", "counter"],
  ["observableGauge", "gauge"],
  ["counters", "counter"],
  ["histograms", "histogram"],
]);

/** The names of labels, or a function of their values. */
type Labels = readonly string[] | ((...values: string[]) => object);

/** Calls `record` with the arguments of each call of the method. Returns the function that ends it. */
function recordCalls(
  method: keyof MetricFamilies,
  record: (given: [name: string, help: string, labels: Labels]) => void,
): () => void {
  const original = Reflect.get(MetricFamilies.prototype, method);
  Reflect.set(
    MetricFamilies.prototype,
    method,
    function (this: MetricFamilies, ...given: Parameters<typeof record>[0]) {
      record(given);
      return Reflect.apply(original, this, given);
    },
  );
  return () => void Reflect.set(MetricFamilies.prototype, method, original);
}

/** The keys that a function of label values returns, whatever the values are. One function parses its first as an origin. */
const labelNames = (labels: Labels): readonly string[] =>
  typeof labels === "function" ? Object.keys(labels(...Array<string>(5).fill("http://host"))) : labels;

/** Stand-ins for the roles: nothing reads their values. */
function allRoles(): ReadonlyMap<Role, FastifyInstance> {
  const graphql = Object.assign(Fastify(), { executions: { count: 0 }, upstreams: [], apps: {}, usage: {} });
  const gateway = Object.assign(Fastify(), { keys: {}, keyFile: {}, tokens: {}, shared: {} });
  return new Map(Object.entries({ gateway, graphql }) as [Role, FastifyInstance][]);
}

async function run(argv: readonly string[], io: Io): Promise<number> {
  return runCommand("npm run docs", argv, io, (line, does) =>
    line
      .description("Writes the reference pages that are generated from the code.")
      .option("--check", "writes nothing, and fails if a page is stale")
      .action(
        does(async ({ check }: { readonly check?: boolean }) => {
          const stale = [...(await generatedPages())].filter(([path, text]) => currentText(path) !== text);
          for (const [path, text] of stale) {
            if (check) io.error(`${path} is stale: run \`npm run docs\``);
            else writeFileSync(join(root, path), text);
          }
          return check && stale.length > 0 ? 1 : 0;
        }),
      ),
  );
}

const currentText = (path: string): string | undefined =>
  existsSync(join(root, path)) ? read(path) : undefined;

if (import.meta.main) process.exitCode = await run(process.argv.slice(2), processIo);
