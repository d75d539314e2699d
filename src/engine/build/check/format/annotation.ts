/**
 * Reduces a finding to a single line of a file, for GitHub annotations, SARIF and GitLab Code Quality, which show it next to a
 * diff. These formats require paths relative to the repository root and an existing line.
 */
import { approvalEntry } from "../approvals.ts";
import type { Finding, Frame } from "../report.ts";
import { approvalOrAdvice, impactLines } from "./text.ts";

export const isOfBase = ({ role }: Frame): boolean => role.startsWith("base");

/**
 * The location in the file that the change edits: a file that also has a location at the base or, for new parts of the OpenAPI
 * document, the document; otherwise the first location. If all locations are at the base, line 1 of that file, because the old
 * line no longer exists.
 */
export function annotationLocation({ places, rule, change }: Finding): Frame | undefined {
  const [gone] = places.filter(isOfBase);
  const here = places.filter((place) => !isOfBase(place));
  const edited = here.find(({ role }) => places.some((other) => other.role === `base ${role}`));
  // a proof error counts as a change only if the schema is unchanged, so the document was edited
  const isOfDocument = change && !/^(sdl|binding)-/.test(rule);
  const added = isOfDocument ? here.find(({ role }) => role === "rest") : undefined;
  return edited ?? added ?? here[0] ?? (gone && { ...gone, line: 1, column: 1 });
}

/** The lines below the message: the impact, and the advice or the approval. */
export const annotationLines = (finding: Finding): string[] => [
  ...impactLines(finding),
  approvalOrAdvice(finding),
  ...(finding.fingerprint && !finding.approval
    ? ["to approve it, add to spec/approvals.yaml:", ...approvalEntry(finding)]
    : []),
];

/** The message for formats without a title. */
export const headline = ({ coordinate, message }: Finding): string =>
  message.startsWith(coordinate) ? message : `${coordinate}: ${message}`;
