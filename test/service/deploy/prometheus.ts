/** A real Prometheus with the files of deploy/prometheus, which scrapes each second. Its port is free. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse, stringify } from "yaml";

export const hasPrometheus = !spawnSync("prometheus", ["--version"]).error;

const deploy = join(import.meta.dirname, "../../../deploy/prometheus");

const nobody = "127.0.0.1:9"; // the port of "discard"

export type Series = {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
};

type Alert = Readonly<Record<string, string>> & { readonly alertname: string };

export type Prometheus = {
  readonly url: URL;
  /** The samples of a query since the start, one a second. */
  readonly range: (query: string) => Promise<Series[]>;
  /** The labels of the alerts that are pending or firing. */
  readonly alerts: () => Promise<Alert[]>;
};

/** `targets` by the label `component`. What ends it is pushed to `ends`. */
export async function startPrometheus(
  ends: (() => unknown)[],
  targets: Readonly<Record<string, readonly string[]>>,
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
  cpSync(deploy, folder, { recursive: true });
  const config = parse(readFileSync(join(folder, "prometheus.yaml"), "utf8"));
  Object.assign(config.global, { scrape_interval: "1s", evaluation_interval: "1s" });
  for (const given of config.scrape_configs[0].static_configs)
    given.targets = targets[given.labels.component]?.map((url) => new URL(url).host);
  config.scrape_configs[1].static_configs[0].targets = [nobody]; // no balancer
  writeFileSync(join(folder, "prometheus.yaml"), stringify(config));
  const child = spawn(
    "prometheus",
    [
      `--config.file=${folder}/prometheus.yaml`,
      `--storage.tsdb.path=${folder}/tsdb`,
      "--web.listen-address=127.0.0.1:0",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  ends.push(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    rmSync(folder, { recursive: true, force: true });
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  while (!output.includes("Server is ready")) {
    if (child.exitCode !== null) throw new Error(`prometheus ended: ${output}`);
    await sleep(50);
  }
  const url = new URL(`http://${/Listening on" address=(\S+)/.exec(output)?.[1]}`);
  const since = Date.now() / 1_000;
  const get = async (path: string) => (await fetch(new URL(`/api/v1/${path}`, url))).json();
  return {
    url,
    range: async (query) => {
      const search = new URLSearchParams({
        query,
        step: "1",
        start: `${since}`,
        end: `${Date.now() / 1_000}`,
      });
      const { data, error } = (await get(`query_range?${search}`)) as {
        data?: { result: Series[] };
        error?: string;
      };
      if (!data) throw new Error(`${query}: ${error}`);
      return data.result;
    },
    alerts: async () => {
      const { data } = (await get("alerts")) as { data: { alerts: { labels: Alert }[] } };
      return data.alerts.map(({ labels }) => labels);
    },
  };
}
