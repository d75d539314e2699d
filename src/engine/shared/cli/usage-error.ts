/** The caller used a command wrongly: an unknown name, a wrong option, a file that git does not have. */

import { withShownUrls } from "../shown-url.ts";
import { ExpectedFailure, withoutPlace } from "./command-failure.ts";
import { printable } from "./printable.ts";

/** Each line names one mistake. The command prints the lines and ends with exit code 2. */
export class UsageError extends ExpectedFailure {
  constructor(lines: readonly string[]) {
    super(lines.map(withShownUrls).join("\n"), {
      exitCode: 2,
      faults: lines.map((line) => withoutPlace(printable(withShownUrls(line)))),
    });
  }
}
