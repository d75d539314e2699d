/** The changelog of the client package, from a report that somebody else may have written. */
import { expect, test } from "vitest";
import { changesSinceVersion, emitChangelog } from "../../../../src/engine/client-package/emit-changelog.ts";

test("no message contains terminal control sequences or line breaks", () => {
  const message = "a\n::error::b\u001b[2J\u202ec\u2028d";
  const report = { version: 2, base: "main", changes: [{ class: "breaking", message }] };
  const text = emitChangelog(changesSinceVersion("1.2.3", "report.json", JSON.stringify(report)));
  expect(text).toBe("# Changelog\n\n## 2.0.0\n\n### Breaking\n\n- a ::error::b\uFFFD[2J\uFFFDc\uFFFDd\n");
});
