/**
 * `node test/service/deploy/picture.ts`: draws the panels of the dashboard from Prometheus' answers over a run of two minutes, the
 * second with faults, into docs/images/dashboard.png. Grafana is in no package registry that the build may use, so uPlot
 * draws; the queries are the dashboard's own. Needs Prometheus and Chromium.
 */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { executable } from "../browser/browser.ts";
import { startFaultyRun } from "./faulty-run.ts";
import { panels } from "./panels.ts";
import type { Series } from "./prometheus.ts";

const file = join(import.meta.dirname, "../../../docs/images/dashboard.png");
const halfMs = Number(process.env.SECONDS ?? 120) * 500;

const run = await startFaultyRun();
let drawn: Drawn[];
try {
  await sleep(halfMs);
  run.breakThings();
  await sleep(halfMs);
  drawn = await Promise.all(
    panels.map(async ({ row, title, unit, expr, legend }) => ({
      row,
      title,
      unit,
      series: largest(await run.range(expr), legend),
    })),
  );
} finally {
  await run.stop();
}
const browser = await chromium.launch({ executablePath: executable ?? "", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1320, height: 800 } });
await page.setContent('<!doctype html><body style="margin:12px;font:13px system-ui;background:#fff"></body>');
for (const name of ["uPlot.min.css", "uPlot.iife.min.js"]) {
  const path = fileURLToPath(import.meta.resolve(`uplot/dist/${name}`));
  await (name.endsWith(".css") ? page.addStyleTag({ path }) : page.addScriptTag({ path }));
}
await page.addScriptTag({ path: join(import.meta.dirname, "draw-panels.js") });
await page.evaluate(`drawPanels(${JSON.stringify(drawn)})`);
mkdirSync(dirname(file), { recursive: true });
await page.screenshot({ path: file, fullPage: true });
await browser.close();
process.stdout.write(`${file}: ${drawn.length} panels\n`);

type Line = { readonly label: string; readonly points: readonly (readonly [number, number])[] };
type Drawn = {
  readonly row: string;
  readonly title: string;
  readonly unit: string;
  readonly series: readonly Line[];
};

/** The eight series with the largest values: a panel has no room for more. */
function largest(given: readonly Series[], legend: string): Line[] {
  const lines = given.map(({ metric, values }) => ({
    label: legend.replace(/\{\{(\w+)\}\}/g, (_, name) => metric[name] ?? "").trim(),
    points: values.map(([at, value]) => [at, Number(value)] as const),
  }));
  const peak = ({ points }: Line): number => Math.max(0, ...points.map(([, value]) => value || 0));
  return lines.toSorted((one, other) => peak(other) - peak(one)).slice(0, 8);
}
