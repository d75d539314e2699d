/** The panels of deploy/grafana/dashboard.json, with the interval and the variables that Grafana would fill in. */
import dashboard from "../../../deploy/grafana/dashboard.json" with { type: "json" };

export type Panel = {
  readonly row: string;
  readonly title: string;
  readonly unit: string;
  readonly expr: string;
  /** `{{role}} {{code}}`: what the line of a series is called. */
  readonly legend: string;
};

/** Grafana takes four scrapes at least. */
const rateInterval = "10s";

let row = "";
export const panels: readonly Panel[] = dashboard.panels.flatMap((panel): Panel[] => {
  if (panel.type === "row") row = panel.title;
  return (panel.targets ?? []).map(({ expr, legendFormat }) => ({
    ...{ row, title: panel.title, unit: panel.fieldConfig?.defaults.unit ?? "" },
    legend: legendFormat,
    expr: expr.replaceAll("$__rate_interval", rateInterval).replaceAll(/\$[a-z]+/g, ".*"), // all of each variable
  }));
});
