/** Makes every text of a report one printable line. Frames are printable already. */
import { printable } from "../cli/printable.ts";
import type { Report } from "./report.ts";

export const printableReport = (report: Report): Report =>
  JSON.parse(JSON.stringify(report), (key, value) =>
    typeof value === "string" && key !== "text" ? printable(value) : value,
  );
