/**
 * A finding at one line of one file, as GitHub's annotations, SARIF and GitLab's Code Quality show it beside a change. They
 * look for files from the top of the repository, and show only what stands at a line of it.
 */
import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { approvalEntry } from "../approvals.ts";
import type { Finding, Frame } from "../report.ts";
import { reachLines } from "./text.ts";

export const isOfBase = ({ role }: Frame): boolean => role.startsWith("base");

/**
 * The place in the file that the change edits: the finding has that file at the base too. Without one it is the first place,
 * and of what is gone the file at the base: its line there is none of today.
 */
export function placeOfAnnotation({ places }: Finding): Frame | undefined {
  const [gone] = places.filter(isOfBase);
  const here = places.filter((place) => !isOfBase(place));
  const edited = here.find(({ role }) => places.some((other) => other.role === `base ${role}`));
  return edited ?? here[0] ?? (gone && { ...gone, line: 1, column: 1 });
}

/** The lines below the message: what the finding reaches, and what to do. */
export const annotationLines = (finding: Finding): string[] => [
  ...reachLines(finding),
  settlement(finding),
  ...(finding.fingerprint && !finding.approval
    ? ["to approve it, add to spec/approvals.yaml:", ...approvalEntry(finding)]
    : []),
];

export const settlement = ({ approval, hint }: Finding): string =>
  approval ? `approved until ${approval.expires} by ${approval.author}: ${approval.reason}` : hint;

/** The message of a format that shows no title. */
export const headline = ({ coordinate, message }: Finding): string =>
  message.startsWith(coordinate) ? message : `${coordinate}: ${message}`;

/** The path of `root` below the top of its git repository, with a `/` behind it: empty at the top, and without a repository. */
export function pathBelowRepository(root: string): string {
  let top = root;
  while (!existsSync(join(top, ".git"))) {
    if (top === dirname(top)) return "";
    top = dirname(top);
  }
  const below = relative(top, root).split(sep).join("/");
  return below === "" ? "" : `${below}/`;
}
