/** The report as JSON, as `report.schema.json` describes it. */
import type { Report } from "./report.ts";

export const formatJson = (report: Report): string => `${JSON.stringify(report, null, 2)}\n`;
