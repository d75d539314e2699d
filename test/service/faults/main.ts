/** `npm run suite -- faults`: every row of the table of faults; prints criterion, measured and pass. `--smoke` does less of each. */

import { readArguments } from "../../support/script-arguments.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { runRows } from "./run.ts";

const { smoke } = (
  await readArguments("npm run suite -- faults", (line) =>
    line.description("Runs every row of the table of faults.").option("--smoke", "does less of each row"),
  )
).opts<{ smoke?: boolean }>();
const results = await runRows({ effort: smoke ? 1 : 4, patience: 1 }, (result) => {
  const { fault, criterion, measured, pass } = result;
  process.stdout.write(
    `${pass ? "pass" : "FAIL"}  ${fault}\n      criterion: ${criterion}\n      measured:  ${measured}\n`,
  );
});
const failed = results.filter(({ pass }) => !pass);
const verdict = new Verdict("faults");
verdict.hold("faults", results.length);
verdict.hold("faults whose criterion is not met", failed.length);
