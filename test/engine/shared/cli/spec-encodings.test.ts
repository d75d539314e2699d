/** Spec files as other machines write them. */
import { expect, test } from "vitest";
import { depotSchema, project, ran } from "../../build/check/run.ts";

const utf16 = Buffer.from(`\uFEFF${depotSchema}`, "utf16le");

test.each([
  ["UTF-16, little end first", utf16],
  ["UTF-16, big end first", Buffer.from(utf16).swap16()],
])("a schema in %s is refused by name", async (_, bytes) => {
  const { code, out, error } = await ran(project({ "spec/schema.graphql": bytes }), []);
  expect(code).toBe(3);
  expect(out + error).toContain("is UTF-16: save it as UTF-8");
});

test("a byte order mark of UTF-8 and line ends of Windows change no finding", async () => {
  const findings = (text: string) => text.match(/^findings: .*$/m)?.[0];
  const plain = await ran(project(), []);
  const marked = await ran(
    project({ "spec/schema.graphql": `\uFEFF${depotSchema.replaceAll("\n", "\r\n")}` }),
    [],
  );
  expect(findings(plain.out)).toMatch(/^findings: /);
  expect(findings(marked.out)).toBe(findings(plain.out));
});
