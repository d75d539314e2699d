/**
 * A vitest reporter that prints the seed of random cases, a line for each failed test, and the counts of the run, for `.ci/run`.
 * A run in which no test passed has failed.
 */
import type { Reporter } from "vitest/node";

export const tally: Reporter = {
  onTestRunStart() {
    console.log(`random cases of SEED=${process.env.SEED}`);
  },
  onTestRunEnd(modules, errors) {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const states = tests.map((test) => test.result().state);
    const passed = states.filter((state) => state === "passed").length;
    const failed = states.filter((state) => state === "failed").length;
    const skipped = states.length - passed - failed;
    const broken = errors.length + modules.filter((module) => module.errors().length > 0).length;
    if (passed === 0) process.exitCode = 1;
    for (const test of tests) {
      const { state, errors = [] } = test.result();
      if (state === "failed")
        console.log(`FAIL  ${test.module.relativeModuleId} > ${test.fullName}: ${firstLine(errors[0])}`);
    }
    const faults = failed + broken + (passed + failed + broken === 0 ? 1 : 0);
    console.log(`tally: ${passed} passed, ${faults} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
    if (passed === 0) console.log("no test passed: nothing is known");
  },
};

/** The first line of the error. For a failed child process, the first line of the child's error. */
const firstLine = ({ message } = { message: "" }): string =>
  (/^Command failed: .*?^(\w*Error: .*)/ms.exec(message)?.[1] ?? message).split("\n")[0] ?? "";
