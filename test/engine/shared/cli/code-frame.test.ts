/** The lines that a finding shows. */
import { expect, test } from "vitest";
import { codeFrame } from "../../../../src/engine/shared/cli/code-frame.ts";

test("a frame has the line, its neighbours and a caret", () => {
  expect(codeFrame(["a", "bcd", "e"], 2, 3)).toBe("  1 | a\n> 2 | bcd\n    |   ^\n  3 | e");
});

test("of a long line a frame shows the part around the place", () => {
  const line = `${"a".repeat(500)}{"gid":1}${"b".repeat(500)}`;
  const [shown = "", caret = ""] = codeFrame([line], 1, 501).split("\n");
  expect(shown).toMatch(/^> 1 \| …a{40}\{"gid":1\}b+…$/);
  expect(shown[caret.indexOf("^")]).toBe("{");
  expect(codeFrame([line], 1, 3)).toBe(`> 1 | ${"a".repeat(160)}…\n    |   ^`);
});
