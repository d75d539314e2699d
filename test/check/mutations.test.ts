/**
 * The mutation test in short: every tenth edit of the depot pair and every 37th edit of the messaging pair.
 * `npm run test:mutations` runs all edits.
 */
import { describe, expect, test } from "vitest";
import { score } from "./mutations/score.ts";

describe("single edits of either spec file", () => {
  const { breaking, harmless, missed } = score({ messaging: 37, depot: 10 });
  test("that break the mapping are findings at the right coordinate and the right lines of both files", () => {
    expect(missed.filter(({ mutation }) => mutation.coordinates)).toEqual([]);
    expect(breaking.all).toBeGreaterThanOrEqual(40);
  });
  test("that break nothing are no finding", () => {
    expect(missed.filter(({ mutation }) => !mutation.coordinates)).toEqual([]);
    expect(harmless.all).toBeGreaterThanOrEqual(10);
  });
});
