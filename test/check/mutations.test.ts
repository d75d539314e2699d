/**
 * The mutation test (`npm run test:mutations` runs all of it): here every edit of the small pair, and every fifth of the
 * project's own, so that a change of the checker is judged with the other tests.
 */
import { describe, expect, test } from "vitest";
import { score } from "./mutations/score.ts";

describe("single edits of either spec file", () => {
  const { breaking, harmless, missed } = score(5);
  test("that break the mapping are found at the right coordinate and the right lines of both files", () => {
    expect(missed.filter(({ mutation }) => mutation.coordinates)).toEqual([]);
    expect(breaking.all).toBeGreaterThanOrEqual(80);
  });
  test("that break nothing are no finding", () => {
    expect(missed.filter(({ mutation }) => !mutation.coordinates)).toEqual([]);
    expect(harmless.all).toBeGreaterThanOrEqual(60);
  });
}, 180_000);
