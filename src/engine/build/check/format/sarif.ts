/**
 * Prints the report as SARIF 2.1.0 (OASIS) for code scanning and editors. GitHub rejects a result without a location. Locations
 * in the base are listed in the message, because their lines may no longer exist.
 */
import { engineManifest } from "../../../shared/engine-manifest.ts";
import type { Finding, Frame, Report } from "../report.ts";
import { meaningOf, type RuleId, rulePage, ruleUrl } from "../rules.ts";
import { annotationLines, annotationLocation, headline, isOfBase } from "./annotation.ts";

export function formatSarif({ findings }: Report): string {
  const { version } = engineManifest();
  const ids = [...new Set(findings.map(({ rule }) => rule))].sort();
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: "restbound check", version, rules: ids.map((id) => ruleOf(id, version)) },
        },
        columnKind: "utf16CodeUnits",
        results: findings.map((finding) => resultOf(finding, ids.indexOf(finding.rule))),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

/** GitHub requires the short and full descriptions and the help text. */
const ruleOf = (id: RuleId, version: string) => ({
  id,
  shortDescription: { text: meaningOf(id) },
  fullDescription: { text: meaningOf(id) },
  help: {
    text: `${rulePage(id)} has an example.`,
    markdown: `[${id}](${ruleUrl(id, version)}) has an example.`,
  },
  helpUri: ruleUrl(id, version),
});

function resultOf(finding: Finding, ruleIndex: number): object {
  const { rule, severity, places, fingerprint, approval } = finding;
  const main = annotationLocation(finding);
  const others = places.filter((place) => !isOfBase(place) && place !== main);
  const lines = [
    headline(finding),
    ...places.filter(isOfBase).map(({ file, line, column }) => `at the base: ${file}:${line}:${column}`),
    ...annotationLines(finding),
  ];
  return {
    ruleId: rule,
    ruleIndex,
    level: severity,
    message: { text: lines.join("\n") },
    ...(main && { locations: [locationOf(main)] }),
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

/** Encodes the file name as a relative URI reference (RFC 3986). A file name may contain characters that a URI does not allow. */
const locationOf = ({ file, line, column }: Frame): object => ({
  physicalLocation: {
    artifactLocation: { uri: file.split("/").map(encodeURIComponent).join("/"), uriBaseId: "%SRCROOT%" },
    region: { startLine: line, startColumn: column },
  },
});
