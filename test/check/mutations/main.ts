/** `npm run test:mutations`: prints the score and every edit with wrong findings. Exit code 1 if there is such an edit. */
import { readArguments } from "../../script-arguments.ts";
import { score } from "./score.ts";

await readArguments("npm run test:mutations", (line) =>
  line.description("Edits the spec in every way that breaks or spares clients, and scores the findings."),
);

const { breaking, harmless, missed } = score();
for (const { mutation, failure } of missed) console.log(`MISSED ${mutation.name}\n  ${failure}`);
console.log(`breaking edits found at the right coordinate and lines: ${breaking.right} of ${breaking.all}`);
console.log(`harmless edits without a finding: ${harmless.right} of ${harmless.all}`);
process.exitCode = missed.length > 0 ? 1 : 0;
