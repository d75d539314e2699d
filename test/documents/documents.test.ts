/** A small real document of an npm package: every operation is proposed, binds alone and together, and type-checks. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { generatedFiles, typeErrors } from "../codegen/type-check.ts";
import { Oracle } from "./oracle.ts";
import { proposalsOf } from "./proposals.ts";

const text = readFileSync(createRequire(import.meta.url).resolve("@scalar/galaxy/3.1.yaml"), "utf8");
const { groups, ...counts } = proposalsOf((name) => (name === "openapi.yaml" ? text : undefined), 100);
const [group] = groups;

test("every operation of Scalar Galaxy is proposed, and all proposals bind together", async () => {
  expect(counts).toMatchObject({ operations: 9, proposed: 9, alone: 9, together: 9, failures: [] });
  expect(typeErrors(await generatedFiles(group?.schema ?? "", text))).toEqual([]);
}, 180_000);

test("the oracle of the histories sees a change, and none where there is none", () => {
  const document = parse(text);
  const changed = parse(text);
  changed.components.schemas.Planet.properties.name = { type: ["string", "null"] };
  expect([...new Oracle(group?.schema ?? "", document, parse(stringify(document))).changed]).toEqual([]);
  expect([...new Oracle(group?.schema ?? "", document, changed).changed]).toContain("Planet.name");
});
