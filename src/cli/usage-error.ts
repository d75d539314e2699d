/** The caller used a command wrongly: an unknown name, a wrong option, a file that git does not have. */
import { ExpectedFailure, type Failure, withoutPlace } from "./failure.ts";
import { printable } from "./printable.ts";

/** Each line names one mistake. The command prints the lines and ends with exit code 2. */
export class UsageError extends ExpectedFailure {
  readonly lines: readonly string[];
  readonly failure: Failure;

  constructor(lines: readonly string[]) {
    super(lines.join("\n"));
    this.name = "UsageError";
    this.lines = lines;
    this.failure = { exitCode: 2, faults: lines.map((line) => withoutPlace(printable(line))) };
  }
}
