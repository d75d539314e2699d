/** docs/reference/rules.md has every rule of the code and no other; each example is run, and gives the rule that it stands for. */
import { describe, expect, test } from "vitest";
import { restRules } from "../../../src/engine/build/check/changes/change-catalogue.ts";
import { examine } from "../../../src/engine/build/check/check.ts";
import { annotationLocation } from "../../../src/engine/build/check/format/annotation.ts";
import { type Diagnostic, type Rule, UnreadableSpec } from "../../../src/engine/build/diagnostic.ts";
import { isValid, Project } from "../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../src/engine/build/project/spec-files.ts";
import { read } from "./page.ts";
import { type Block, type Section, sectionsOf, sidesOf } from "./rule-examples.ts";

const page = read("docs/reference/rules.md");
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page)?.[1] ?? "";
const pair = new Map([
  ["schema.graphql", blockOf("graphql")],
  ["openapi.yaml", blockOf("yaml")],
]);

const snapshotOf = (files: ReadonlyMap<string, string>): Project => new Project(textFiles(files));

function diagnose(files: ReadonlyMap<string, string>): readonly Diagnostic[] {
  try {
    return snapshotOf(files).diagnostics;
  } catch (error) {
    if (error instanceof UnreadableSpec) return error.diagnostics;
    throw error;
  }
}

/** Message and all, so that a failure says what was found. */
const found = (diagnostics: readonly Diagnostic[]): string[] =>
  diagnostics.map(({ rule, coordinate, message }) => `${rule} ${coordinate}: ${message}`);

test("the pair of files that the examples edit has no finding", () => {
  expect(found(diagnose(pair))).toEqual([]);
});

describe("diagnostics", () => {
  const sections = sectionsOf(page, "Diagnostics");

  test.each(sections)(
    "$rule: the wrong example gives it alone, the right one nothing",
    ({ rule, blocks }) => {
      const [wrong, right] = sidesOf(pair, blocks);
      const diagnostics = diagnose(wrong);
      expect(new Set(diagnostics.map((each) => each.rule)), found(diagnostics).join("\n")).toEqual(
        new Set([rule as Rule]),
      );
      expect(diagnostics.filter(({ schema, rest }) => !schema && !rest)).toEqual([]);
      expect(found(diagnose(right))).toEqual([]);
    },
  );
});

/** `also`: the rules that the sentence names besides its own. */
type Example = { rule: string; class: string; also: readonly string[]; blocks: readonly Block[] };

/** One example each: it ends with the block that names the class. */
function examplesOf({ rule, text, blocks }: Section): Example[] {
  const also = [...(text.split("```")[0] ?? "").matchAll(/`((?:rest|sdl|binding)-[a-z-]+)`/g)].map(
    ([, name = ""]) => name,
  );
  const examples: Example[] = [];
  let current: Block[] = [];
  for (const block of blocks) {
    current.push(block);
    if (block.class === undefined) continue;
    examples.push({ rule, class: block.class, also: also.filter((name) => name !== rule), blocks: current });
    current = [];
  }
  expect(current, `${rule}: a block that belongs to no example`).toEqual([]);
  return examples;
}

const ruleAndClass = (change: { rule: string; class: string }): string => `${change.rule} ${change.class}`;

const changeSections = sectionsOf(page, "Changes of the OpenAPI document");
const examples = changeSections.flatMap(examplesOf);

describe("changes", () => {
  test("of the document have an example of each class", () => {
    const shown = new Set(examples.map(ruleAndClass));
    const named = Object.entries(restRules).flatMap(([rule, { classes }]) =>
      classes.map((kind) => ruleAndClass({ rule, class: kind })),
    );
    expect(shown).toEqual(new Set(named));
  });

  test.each(examples)("$rule, $class: the example gives it alone", (example) => {
    const { rule, class: kind, also, blocks } = example;
    const [old, now] = sidesOf(pair, blocks).map(snapshotOf) as [Project, Project];
    if (!isValid(old)) throw new Error(found(old.diagnostics).join("\n"));
    const { changes, findings } = examine(now, old, "2026-01-01");
    expect(findings.filter((each) => !annotationLocation(each))).toEqual([]);
    const all = changes.map((change) => `${ruleAndClass(change)}: ${change.message}`).join("\n");
    const own = changes.filter((change) => !also.includes(change.rule));
    expect(new Set(own.map(ruleAndClass)), all).toEqual(new Set([`${rule} ${kind}`]));
    expect(
      changes.map((change) => change.rule),
      all,
    ).toEqual(expect.arrayContaining([...also]));
  });
});

test("each rule says what to do", () => {
  const sections = [...sectionsOf(page, "Diagnostics"), ...changeSections];
  expect(sections.filter(({ text }) => !/^→ \S/m.test(text)).map(({ rule }) => rule)).toEqual([]);
});
