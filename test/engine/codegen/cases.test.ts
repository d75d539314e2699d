/** Golden cases: each folder holds a schema, an OpenAPI document and the expected generated files. `vitest -u` rewrites the files. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { generate as graphqlCodegen } from "@graphql-codegen/cli";
import { describe, expect, test } from "vitest";
import { loadSpec } from "../../../src/engine/bind/load.ts";
import { folderFiles } from "../../../src/engine/bind/spec-files.ts";
import { codegenConfig } from "../../../src/engine/codegen/config.ts";

const folder = join(import.meta.dirname, "cases");

/** The printed schema is the schema of the case without its directives: three of them show that. */
const withSchema = ["arguments-above", "maps", "names"];

/** Components of several documents may have one name. */
const withRestTypes = ["several-documents"];

describe.each(readdirSync(folder))("%s", (name) => {
  test("generates exactly the files of its folder", async () => {
    const { model, diagnostics } = loadSpec(folderFiles(join(folder, name)));
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    if (!model) throw new Error("no model");
    const config = codegenConfig(model);
    const files = (await graphqlCodegen({ ...config, cwd: folder }, false)) as {
      filename: string;
      content: string;
    }[];
    const others = [
      ...(withSchema.includes(name) ? ["schema.graphql"] : []),
      ...(withRestTypes.includes(name) ? ["rest.ts"] : []),
    ];
    for (const file of ["resolvers.ts", "operations.ts", "arguments.ts", ...others]) {
      const found = files.find(({ filename }) => filename.endsWith(`/${file}`));
      await expect(found?.content).toMatchFileSnapshot(join(folder, name, "generated", file));
    }
  });
});
