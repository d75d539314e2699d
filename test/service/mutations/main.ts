/** `npm run suite -- mutations`: prints the score and every edit with wrong findings. */

import { readArguments } from "../../support/script-arguments.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { score } from "./score.ts";

await readArguments("npm run suite -- mutations", (line) =>
  line.description("Edits the spec in every way that breaks or spares clients, and scores the findings."),
);

const { breaking, harmless, missed } = score();
for (const { mutation, failure } of missed) console.log(`MISSED ${mutation.name}\n  ${failure}`);
console.log(`breaking edits found at the right coordinate and lines: ${breaking.right} of ${breaking.all}`);
console.log(`harmless edits without a finding: ${harmless.right} of ${harmless.all}`);
const verdict = new Verdict("mutations");
verdict.hold("breaking edits", breaking.all);
verdict.hold("harmless edits", harmless.all);
verdict.hold("edits with a missing or a wrong finding", missed.length);
