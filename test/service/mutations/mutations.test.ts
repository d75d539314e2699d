/**
 * The mutation test in short: every twentieth edit of the depot pair and every 74th edit of the messaging pair.
 * `npm run suite -- mutations` runs all edits.
 */
import { describe, expect, test } from "vitest";
import { score } from "./score.ts";

describe("single edits of either spec file", () => {
  const { breaking, harmless, missed } = score({ messaging: 74, depot: 20 });
  test("that break the mapping are findings at the right coordinate and the right lines of both files", () => {
    expect(missed.filter(({ mutation }) => mutation.coordinates)).toEqual([]);
    expect(breaking.all).toBeGreaterThanOrEqual(25);
  });
  test("that break nothing are no finding", () => {
    expect(missed.filter(({ mutation }) => !mutation.coordinates)).toEqual([]);
    expect(harmless.all).toBeGreaterThanOrEqual(5);
  });
});
