/**
 * A finding at one line of one file, as GitHub's annotations, SARIF and GitLab's Code Quality show it beside a change. They
 * look for files from the top of the repository, and show only what stands at a line of it.
 */
import { approvalEntry } from "../approvals.ts";
import type { Finding, Frame } from "../report.ts";
import { approvalOrAdvice, impactLines } from "./text.ts";

export const isOfBase = ({ role }: Frame): boolean => role.startsWith("base");

/**
 * The place in the file that the change edits: the finding has that file at the base too, or it is the document's, where what is
 * new has no place at the base. Without one it is the first place, and of what is gone the file at the base: its line there is
 * none of today.
 */
export function annotationLocation({ places, rule, change }: Finding): Frame | undefined {
  const [gone] = places.filter(isOfBase);
  const here = places.filter((place) => !isOfBase(place));
  const edited = here.find(({ role }) => places.some((other) => other.role === `base ${role}`));
  // an error of the proof is a change where the schema says what it said before
  const isOfDocument = change && !/^(sdl|binding)-/.test(rule);
  const added = isOfDocument ? here.find(({ role }) => role === "rest") : undefined;
  return edited ?? added ?? here[0] ?? (gone && { ...gone, line: 1, column: 1 });
}

/** The lines below the message: what the finding reaches, and what to do. */
export const annotationLines = (finding: Finding): string[] => [
  ...impactLines(finding),
  approvalOrAdvice(finding),
  ...(finding.fingerprint && !finding.approval
    ? ["to approve it, add to spec/approvals.yaml:", ...approvalEntry(finding)]
    : []),
];

/** The message of a format that shows no title. */
export const headline = ({ coordinate, message }: Finding): string =>
  message.startsWith(coordinate) ? message : `${coordinate}: ${message}`;
