/** A metric as a tile: its total, and its days as an area. */
/** @import { StartPageQuery } from "../../generated/documents.ts" */
import uPlot from "uplot";
import { make } from "./elements.js";

/** @typedef {NonNullable<StartPageQuery["metrics"]>[number]} Metric */

const day = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const height = 96;

/**
 * @param {number | null | undefined} value
 * @param {Metric["unit"]} unit
 */
function textOf(value, unit) {
  if (value === null || value === undefined) return "–";
  if (unit === "COUNT") return whole.format(value);
  if (value >= 5_400) return `${tenths.format(value / 3_600)} h`;
  return value > 0 && value < 90 ? `${whole.format(value)} s` : `${whole.format(value / 60)} min`;
}

/** Where the line above zero may stand: at whole numbers, and at whole minutes or hours. */
const steps = {
  COUNT: [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000].flatMap((power) => [power, 2 * power, 5 * power]),
  SECONDS: [1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 604_800],
};

/** @param {string} name */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

/**
 * Draws the metrics into `place`.
 * @param {HTMLElement} place
 * @param {readonly Metric[]} metrics
 */
export function drawMetrics(place, metrics) {
  place.replaceChildren();
  for (const metric of metrics) place.append(tileOf(metric));
  const plots = metrics.map((metric, index) =>
    plotOf(metric, /** @type {HTMLElement} */ (place.children[index])),
  );
  resized.disconnect();
  resized = new ResizeObserver(() => {
    for (const { plot, chart } of plots) plot.setSize({ width: chart.clientWidth, height });
  });
  resized.observe(place);
}

let resized = new ResizeObserver(() => {});

/** @param {Metric} metric */
const tileOf = ({ label, total, unit, points }) =>
  make(
    "article",
    { class: "card tile" },
    make("h2", {}, label),
    make("p", { class: "total" }, textOf(total, unit)),
    make("p", { class: "day quiet" }, `${unit === "SECONDS" ? "mean of" : "in"} ${points.length} days`),
    make("div", { class: "chart", role: "img", "aria-label": `${label}, day by day` }),
  );

/**
 * @param {Metric} metric
 * @param {HTMLElement} tile
 */
function plotOf({ points, total, unit }, tile) {
  const chart = /** @type {HTMLElement} */ (tile.querySelector(".chart"));
  const value = tile.querySelector(".total");
  const note = tile.querySelector(".day");
  const rest = note?.textContent ?? "";
  /** @param {uPlot} plot */
  const tellDay = (plot) => {
    const point = points[plot.cursor.idx ?? -1];
    if (value) value.textContent = textOf(point ? point.value : total, unit);
    if (note) note.textContent = point ? `on ${day.format(new Date(point.date))}` : rest;
  };
  const axis = { stroke: colour("--quiet"), font: "11px system-ui", ticks: { show: false }, gap: 4 };
  const plot = new uPlot(
    {
      width: chart.clientWidth,
      height,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      padding: [6, 8, 0, 0],
      scales: { y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] } },
      axes: [
        {
          ...axis,
          gap: 10, // below the lower half of the zero beside it
          size: 24,
          space: 80,
          grid: { show: false },
          values: (_plot, days) => days.map((one) => day.format(new Date(one * 1000))),
        },
        {
          ...axis,
          size: 44,
          splits: (_plot, _axis, _least, most) => [0, steps[unit].findLast((step) => step <= most) ?? 1],
          grid: { stroke: colour("--line"), width: 1 },
          values: (_plot, values) => values.map((one) => textOf(one, unit)),
        },
      ],
      series: [
        {},
        {
          stroke: colour("--accent"),
          fill: colour("--accent-soft"),
          width: 2,
          points: { show: false },
          spanGaps: true,
        },
      ],
      hooks: { setCursor: [tellDay] },
    },
    [points.map(({ date }) => Date.parse(date) / 1000), points.map(({ value: one }) => one ?? null)],
    chart,
  );
  return { plot, chart };
}
