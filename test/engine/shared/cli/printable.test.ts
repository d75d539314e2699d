/** Text of a document on a terminal and in the log of a CI run. */
import { expect, test } from "vitest";
import { printable, printableLines, printableSource } from "../../../../src/engine/shared/cli/printable.ts";

test("no line of it is a command to a runner, and nothing steers a terminal", () => {
  const hostile = "::error::a\n  ::stop-commands::b\r\n##[error]c ##vso[task.setvariable]d\u001b[2J";
  expect(printable(hostile)).toBe(
    ": :error::a ::stop-commands::b ## [error]c ## vso[task.setvariable]d\uFFFD[2J",
  );
  expect(printableLines(hostile)).toBe(
    ": :error::a\n  : :stop-commands::b\uFFFD\n## [error]c ## vso[task.setvariable]d\uFFFD[2J",
  );
  expect(printableSource('"""\n::error::a\n"""')).toBe('"""\n: :error::a\n"""');
});
