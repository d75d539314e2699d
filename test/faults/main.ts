/** `npm run test:faults`: every row of the table of faults; prints criterion, measured and pass. `--smoke` does less of each. */
import { runRows } from "./run.ts";

const results = await runRows(process.argv.includes("--smoke") ? 1 : 4, (result) => {
  const { fault, criterion, measured, pass } = result;
  process.stdout.write(
    `${pass ? "pass" : "FAIL"}  ${fault}\n      criterion: ${criterion}\n      measured:  ${measured}\n`,
  );
});
const failed = results.filter(({ pass }) => !pass);
process.stdout.write(`${results.length - failed.length} of ${results.length} pass\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
