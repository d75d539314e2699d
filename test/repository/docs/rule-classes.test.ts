/** The classes of docs/reference/rules.md hold for the edits of the mutation tests, too. */
import { expect, test } from "vitest";
import { changeRules } from "../../../src/engine/build/check/changes/change-catalogue.ts";
import { examine } from "../../../src/engine/build/check/check.ts";
import { annotationLocation } from "../../../src/engine/build/check/format/annotation.ts";
import { UnreadableSpec } from "../../../src/engine/build/diagnostic.ts";
import { Project } from "../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../src/engine/build/project/spec-files.ts";
import { harmlessMutations } from "../../engine/build/check/mutations/harmless.ts";
import { operationMutations } from "../../engine/build/check/mutations/operations.ts";
import { depot, validProject, withFile } from "../../engine/build/check/mutations/pair.ts";
import { propertyMutations } from "../../engine/build/check/mutations/properties.ts";
import { schemaMutations } from "../../engine/build/check/mutations/schema.ts";

const ruleAndClass = (change: { rule: string; class: string }): string => `${change.rule} ${change.class}`;

test("changes that the mutation tests bring about are of the classes of their rules", () => {
  const depotPair = depot();
  const base = validProject(depotPair.files);
  const mutations = [propertyMutations, operationMutations, schemaMutations, harmlessMutations].flatMap(
    (make) => make(depotPair),
  );
  const seen = new Set<string>();
  for (const { file, edit } of mutations.filter((_, index) => index % 3 === 0)) {
    try {
      const head = new Project(textFiles(withFile(depotPair, file, edit.text)));
      const { changes, findings } = examine(head, base, "2026-01-01");
      expect(findings.filter((each) => !annotationLocation(each))).toEqual([]);
      // a break tells what comes of the same cause
      const also = findings.flatMap((each) =>
        (each.also ?? []).map(({ rule }) => ({ rule, class: each.change ?? "" })),
      );
      for (const change of [...changes, ...also])
        if (/^(rest|sdl|binding)-/.test(change.rule)) seen.add(ruleAndClass(change));
    } catch (error) {
      if (!(error instanceof UnreadableSpec)) throw error;
    }
  }
  expect(seen.size).toBeGreaterThanOrEqual(9); // the proof tells most of the others
  const known = Object.entries(changeRules).flatMap(([rule, { classes }]) =>
    classes.map((kind) => ruleAndClass({ rule, class: kind })),
  );
  expect([...seen].filter((each) => !known.includes(each))).toEqual([]);
});
