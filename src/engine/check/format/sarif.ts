/**
 * Prints the report as SARIF 2.1.0 (OASIS), which code scanning and editors read. A place at the base has no line in
 * the files of today, so the message names it.
 */
import type { Finding, Frame, Report } from "../report.ts";
import { meaningOf } from "../rules.ts";

export function formatSarif({ findings }: Report): string {
  const ids = [...new Set(findings.map(({ rule }) => rule))].sort();
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "restbound check",
            rules: ids.map((id) => ({ id, shortDescription: { text: meaningOf(id) } })),
          },
        },
        columnKind: "utf16CodeUnits",
        results: findings.map((finding) => resultOf(finding, ids.indexOf(finding.rule))),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function resultOf(finding: Finding, ruleIndex: number): object {
  const { rule, severity, coordinate, message, hint, places, operations, fingerprint, approval } = finding;
  const isOfBase = ({ role }: Frame): boolean => role.startsWith("base");
  const [first, ...others] = places.filter((place) => !isOfBase(place));
  const lines = [
    `${coordinate}: ${message}`,
    ...places.filter(isOfBase).map(({ file, line, column }) => `at the base: ${file}:${line}:${column}`),
    ...operations.map(({ verdict, name, file, line }) => `${verdict}: ${name} (${file}:${line})`),
    hint,
  ];
  return {
    ruleId: rule,
    ruleIndex,
    level: severity,
    message: { text: lines.join("\n") },
    ...(first && { locations: [locationOf(first)] }),
    ...(others.length > 0 && {
      relatedLocations: others.map((place) => ({ ...locationOf(place), message: { text: place.role } })),
    }),
    ...(fingerprint && { partialFingerprints: { "approval/v1": fingerprint } }),
    ...(approval && {
      suppressions: [
        {
          kind: "external",
          justification: `${approval.author}, until ${approval.expires}: ${approval.reason}`,
        },
      ],
    }),
  };
}

/** A file's name as a relative reference (RFC 3986): a name may hold characters that a URI may not. */
const locationOf = ({ file, line, column }: Frame): object => ({
  physicalLocation: {
    artifactLocation: { uri: file.split("/").map(encodeURIComponent).join("/"), uriBaseId: "%SRCROOT%" },
    region: { startLine: line, startColumn: column },
  },
});
