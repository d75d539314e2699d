/** The commands that `npm run init` prints, where the vendor's document tells a server that is more than an address. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as init } from "../../../src/engine/init/main.ts";
import { ran } from "../../check/run.ts";
import { copyProject } from "../project-copy.ts";

test("a command to copy holds no text of the document that a shell or a terminal would obey", async () => {
  const copy = copyProject();
  onTestFinished(() => copy.remove());
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const responses = { 200: { description: "d", content: { "application/json": { schema } } } };
  const startedWith = async (url: string): Promise<string> => {
    const document = {
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      servers: [{ url }],
      paths: { "/a": { get: { operationId: "a", responses } } },
    };
    writeFileSync(join(copy.root, "vendor.json"), JSON.stringify(document));
    const { code, out } = await ran(copy.root, ["--openapi", "vendor.json", "--replace"], init);
    expect(code).toBe(0);
    return /^start it: {2}REST_BASE_URL=(.*)$/m.exec(out)?.[1] ?? "";
  };
  expect(await startedWith("https://api.vendor.example:8443/v2")).toBe(
    "https://api.vendor.example:8443/v2 npm start -- graphql",
  );
  for (const rest of ["$(touch x)", "`id`", "; id", "\u001b[2J", "\nid", " && id", "'"])
    expect(await startedWith(`https://api.vendor.example/${rest}`)).toBe(
      "https://api.example.com npm start -- graphql",
    );
});
