/**
 * Reduces a finding to one line of a file, for GitHub annotations, SARIF and GitLab Code Quality, which show findings next to a
 * diff. GitHub, SARIF and GitLab require an existing line, and a path relative to the repository root.
 */
import { approvalEntry } from "../approvals.ts";
import type { Finding, Frame } from "../report.ts";
import { approvalOrAdvice, impactLines } from "./text.ts";

export const isOfBase = ({ role }: Frame): boolean => role.startsWith("base");

/**
 * Prefers a location in the file whose edit caused the finding: a file with a location in both the base and the current version,
 * or else the OpenAPI document if the change comes from it. Otherwise returns the first current location. If all locations are in
 * the base, returns line 1 of the first location's file, because the old line may be gone.
 */
export function annotationLocation({ places, rule, change }: Finding): Frame | undefined {
  const [gone] = places.filter(isOfBase);
  const here = places.filter((place) => !isOfBase(place));
  const edited = here.find(({ role }) => places.some((other) => other.role === `base ${role}`));
  // a change comes from the OpenAPI document unless its rule begins with `sdl-` or `binding-`
  const isOfDocument = change && !/^(sdl|binding)-/.test(rule);
  const added = isOfDocument ? here.find(({ role }) => role === "rest") : undefined;
  return edited ?? added ?? here[0] ?? (gone && { ...gone, line: 1, column: 1 });
}

/** The lines below the message: the affected operations, then the approval or the advice. */
export const annotationLines = (finding: Finding): string[] => [
  ...impactLines(finding),
  approvalOrAdvice(finding),
  ...(finding.fingerprint && !finding.approval
    ? ["to approve it, add to spec/approvals.yaml:", ...approvalEntry(finding)]
    : []),
];

/** The message, with the coordinate, for formats without a title. */
export const headline = ({ coordinate, message }: Finding): string =>
  message.startsWith(coordinate) ? message : `${coordinate}: ${message}`;
