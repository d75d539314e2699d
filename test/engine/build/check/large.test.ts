/** Binding and checking a document of 1,000 operations and 10 MB costs no more for each operation than of a small one. */
import { expect, test } from "vitest";
import { examine } from "../../../../src/engine/build/check/check.ts";
import { readOperations } from "../../../../src/engine/build/openapi/read-operations.ts";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { processorMs } from "../../../support/cost.ts";
import { restDocument } from "../openapi/rest-document.ts";

const prose = "What this property holds, said at length, as documents of this size do. ".repeat(3);

/** JSON is YAML. Every operation and every schema is one line. */
function documentOf(count: number): string {
  const schemas = Array.from({ length: count }, (_, index) => {
    const properties = Array.from(
      { length: 40 },
      (_value, at) => `"p${at}":{"type":"string","description":"${prose}"}`,
    );
    const next = `"next":{"$ref":"#/components/schemas/S${(index + 1) % count}"}`;
    return `"S${index}":{"allOf":[{"type":"object","required":["p0"],"properties":{${[...properties, next].join(",")}}}]}`;
  });
  const paths = Array.from({ length: count }, (_, index) => {
    const answer = `{"description":"ok","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/S${index}"}}}}}`;
    return `"/r${index}":{"get":{"operationId":"list${index}","tags":["t"],"parameters":[{"name":"limit","in":"query","schema":{"type":"integer","maximum":100}}],"responses":{"200":${answer}}}}`;
  });
  return `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"security":[],\n"paths":{\n${paths.join(",\n")}\n},\n"components":{"schemas":{\n${schemas.join(",\n")}\n}}}`;
}

const schemaOf = (count: number): string =>
  [
    "type Query {",
    ...Array.from(
      { length: count },
      (_, index) => `  list${index}(limit: Int): [S${index}!] @rest(operation: "list${index}")`,
    ),
    "}",
    ...Array.from(
      { length: count },
      (_, index) => `type S${index} { p0: String! p1: String next: S${(index + 1) % count} }`,
    ),
  ].join("\n");

/** Makes the work on a document of so many operations, which is parsed already. */
function workOn(count: number): () => void {
  const text = documentOf(count);
  const schema = schemaOf(count);
  const files = new Map([
    ["openapi.yaml", text],
    ["schema.graphql", schema],
  ]);
  const parsed = restDocument(text);
  return () => {
    const restOf = () => ({ document: parsed, operations: readOperations(parsed) });
    const project = new Project(textFiles(files), { restOf }).proved();
    expect(project.diagnostics).toEqual([]);
    expect(examine(project, project, "2026-01-01").summary).toMatchObject({ findings: 0 });
  };
}

test("binding, proof and a comparison cost the same for each of 1,000 operations as for each of 125, in less than 1 GiB", async () => {
  expect(documentOf(1_000).length).toBeGreaterThan(10_000_000);
  /** Each time a document of its own: what was read of one before is not read again. */
  const cost = async (): Promise<number> => {
    let sum = 0;
    for (let times = 0; times < 8; times++) sum += await processorMs(workOn(125), 1);
    return sum;
  };
  await cost(); // compiles
  const small = await cost();
  const large = await processorMs(workOn(1_000), 1);
  // 8 where it grows with the square of the operations
  expect(large / small).toBeLessThan(3);
  expect(process.memoryUsage().rss).toBeLessThan(2 ** 30);
});
