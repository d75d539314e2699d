/**
 * A finding at a single line, for GitHub annotations, SARIF and GitLab Code Quality, which show it next to a diff. They require
 * paths relative to the repository root and an existing line.
 */
import { approvalEntry } from "../approvals.ts";
import type { Finding, Frame } from "../report.ts";
import { approvalOrAdvice, impactLines } from "./text.ts";

export const isOfBase = ({ role }: Frame): boolean => role.startsWith("base");

/**
 * The location in the file that the change edits: the file that the finding also has at the base or, for new parts of the
 * document, the document. Otherwise the first location. For removed elements, line 1 of the base's file, because the old line no
 * longer exists.
 */
export function annotationLocation({ places, rule, change }: Finding): Frame | undefined {
  const [gone] = places.filter(isOfBase);
  const here = places.filter((place) => !isOfBase(place));
  const edited = here.find(({ role }) => places.some((other) => other.role === `base ${role}`));
  // a proof error is a change if the schema is unchanged
  const isOfDocument = change && !/^(sdl|binding)-/.test(rule);
  const added = isOfDocument ? here.find(({ role }) => role === "rest") : undefined;
  return edited ?? added ?? here[0] ?? (gone && { ...gone, line: 1, column: 1 });
}

/** The lines below the message: the impact, and what to do. */
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
