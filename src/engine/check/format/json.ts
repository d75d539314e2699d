/** Prints the report as the JSON that `report.schema.json` describes. */
import type { Report } from "../report.ts";

export const formatJson = (report: Report): string => `${JSON.stringify(report, null, 2)}\n`;
