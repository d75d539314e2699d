/** Golden cases: each folder holds a schema, an OpenAPI document and the generated files that it is about. `vitest -u` rewrites the files. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { generate as graphqlCodegen } from "@graphql-codegen/cli";
import { describe, expect, test } from "vitest";
import { codegenConfig } from "../../../../src/engine/build/codegen/codegen-config.ts";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { folderFiles } from "../../../../src/engine/build/project/spec-files.ts";

const folder = join(import.meta.dirname, "cases");

/** The cases that each file says something about. Resolvers are those of every case. */
const recorded: Readonly<Record<string, readonly string[]>> = {
  "arguments.ts": [
    "arguments-above",
    "connections",
    "input-objects",
    "inputs",
    "limits",
    "null-defaults",
    "one-of-inputs",
    "one-of-members",
    "paged-lists",
    "parameters",
    "quoted-values",
    "refusals",
    "several-files",
  ],
  "operations.ts": [
    "batches",
    "composed-types",
    "forms",
    "inherited-names",
    "inputs",
    "openapi-3.2",
    "openapi-3.2-methods",
    "parameters",
    "public-reads",
    "query-objects",
    "refusals",
    "several-documents",
  ],
  // components of several documents may have one name
  "rest.ts": ["inheriting-variants", "openapi-3.2-methods", "several-documents"],
  // the schema of the case without its directives
  "schema.graphql": ["federation", "names"],
  "index.ts": ["federation"],
  "subgraph.graphql": ["federation"],
};

describe.each(readdirSync(folder))("%s", (name) => {
  test("generates exactly the files of its folder", async () => {
    const { model, diagnostics } = new Project(folderFiles(join(folder, name)));
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    if (!model) throw new Error("no model");
    const config = codegenConfig(model);
    const files = (await graphqlCodegen({ ...config, cwd: folder }, false)) as {
      filename: string;
      content: string;
    }[];
    const others = Object.keys(recorded).filter((file) => recorded[file]?.includes(name));
    for (const file of ["resolvers.ts", ...others]) {
      const found = files.find(({ filename }) => filename.endsWith(`/${file}`));
      await expect(found?.content).toMatchFileSnapshot(join(folder, name, "generated", file));
    }
  });
});
