/** Golden cases: a folder is a behaviour, with two specs and what they must come to. `vitest -u` writes them anew. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { generate as graphqlCodegen } from "@graphql-codegen/cli";
import { describe, expect, test } from "vitest";
import { codegenConfig } from "../../src/codegen/config.ts";
import { loadSpec } from "../../src/spec/load.ts";
import { folderFiles } from "../../src/spec/spec-files.ts";

const folder = join(import.meta.dirname, "cases");

describe.each(readdirSync(folder))("%s", (name) => {
  test("generates exactly what its folder holds", async () => {
    const { model, diagnostics } = loadSpec(folderFiles(join(folder, name)).read);
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    if (!model) throw new Error("no model");
    const config = codegenConfig(model);
    const files = (await graphqlCodegen({ ...config, cwd: folder }, false)) as {
      filename: string;
      content: string;
    }[];
    for (const file of ["resolvers.ts", "operations.ts", "arguments.ts", "schema.graphql"]) {
      const found = files.find(({ filename }) => filename.endsWith(`/${file}`));
      await expect(found?.content).toMatchFileSnapshot(join(folder, name, "generated", file));
    }
  });
});
