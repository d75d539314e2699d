/**
 * Environment variables that look like a misspelt one of ours. The environment holds variables of many other programs, so
 * only a name of some length, at an edit or two from ours, counts: `MAX_DEPHT`, never `HOME` (which is near `HOST`).
 */
import leven from "leven";
import { secrets, variables } from "../settings/environment.ts";

/** Names of one word are too near to those of other programs. */
const names = Object.keys(variables).filter((name) => name.includes("_"));

const files = secrets.map((name) => `${name}_FILE`);

/** Two letters that changed places are two edits; a long name may lack a part such as `_MS`. */
const editsOf = (name: string): number => (name.length >= 15 ? 3 : name.length > 8 ? 2 : 1);

/** Returns one line for each variable that is near one of ours and not ours, whatever its case. */
export function findMisspelt(environment: NodeJS.ProcessEnv): string[] {
  const given = Object.keys(environment).filter(
    (name) => !(name in variables) && !files.includes(name) && !name.startsWith("REST_BASE_URL_"),
  );
  return given.flatMap((name) => {
    const near = names
      .map((known) => ({ known, edits: leven(name.toUpperCase(), known) }))
      .filter(({ known, edits }) => edits <= editsOf(known))
      .sort((left, right) => left.edits - right.edits)[0];
    return near ? [`${name}: is no setting and has no effect; did you mean ${near.known}?`] : [];
  });
}
