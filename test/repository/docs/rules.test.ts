/** docs/rules.md has every rule of the code and no other; each example is run, and gives the rule that it stands for. */
import { BreakingChangeType, DangerousChangeType } from "graphql";
import { describe, expect, test } from "vitest";
import { restRules } from "../../../src/engine/check/changes/rest-change.ts";
import { examine } from "../../../src/engine/check/check.ts";
import { type Diagnostic, type Rule, rules, SpecUnreadable } from "../../../src/engine/diagnostic.ts";
import { isValid, Project } from "../../../src/engine/project/project.ts";
import { textFiles } from "../../../src/engine/project/spec-files.ts";
import { harmlessMutations } from "../../engine/check/mutations/harmless.ts";
import { operationMutations } from "../../engine/check/mutations/operations.ts";
import { depot, validProject, withFile } from "../../engine/check/mutations/pair.ts";
import { propertyMutations } from "../../engine/check/mutations/properties.ts";
import { schemaMutations } from "../../engine/check/mutations/schema.ts";
import { read } from "./page.ts";
import { type Block, type Section, sectionsOf, sidesOf } from "./rule-examples.ts";

const page = read("docs/rules.md");
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
    if (error instanceof SpecUnreadable) return error.diagnostics;
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

  test("are those of the code, in its order, with its severities and meanings", () => {
    const shown = sections.map(({ rule, text }) => [rule, text.split("\n")[2]]);
    expect(shown).toEqual(
      Object.entries(rules).map(([rule, { severity, meaning }]) => [rule, `${severity} · ${meaning}`]),
    );
  });

  test.each(sections)(
    "$rule: the wrong example gives it alone, the right one nothing",
    ({ rule, blocks }) => {
      const [wrong, right] = sidesOf(pair, blocks);
      const diagnostics = diagnose(wrong);
      expect(new Set(diagnostics.map((each) => each.rule)), found(diagnostics).join("\n")).toEqual(
        new Set([rule as Rule]),
      );
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

const changeSections = ["OpenAPI document", "GraphQL schema"].map((subject) =>
  sectionsOf(page, `Changes of the ${subject}`),
) as [Section[], Section[]];
const examples = changeSections.flat().flatMap(examplesOf);

describe("changes", () => {
  const [ofDocument, ofSchema] = changeSections;

  test("of the document are those of the code, in its order", () => {
    expect(ofDocument.map(({ rule }) => rule)).toEqual([...restRules]);
  });

  test("of the schema are graphql-js's and our three, in this order", () => {
    const library = [...Object.values(BreakingChangeType), ...Object.values(DangerousChangeType)];
    const expected = library.map((type) => `sdl-${type.toLowerCase().replaceAll("_", "-")}`);
    const own = ["sdl-one-of-added", "sdl-added", "binding-changed"];
    expect(ofSchema.map(({ rule }) => rule)).toEqual([...expected, ...own]);
  });

  test.each(examples)("$rule, $class: the example gives it alone", (example) => {
    const { rule, class: kind, also, blocks } = example;
    const [old, now] = sidesOf(pair, blocks).map(snapshotOf) as [Project, Project];
    if (!isValid(old)) throw new Error(found(old.diagnostics).join("\n"));
    const { changes } = examine(now, old, "2026-01-01");
    const all = changes.map((change) => `${ruleAndClass(change)}: ${change.message}`).join("\n");
    const own = changes.filter((change) => !also.includes(change.rule));
    expect(new Set(own.map(ruleAndClass)), all).toEqual(new Set([`${rule} ${kind}`]));
    expect(
      changes.map((change) => change.rule),
      all,
    ).toEqual(expect.arrayContaining([...also]));
  });

  test("that the mutation tests bring about have examples of their classes", () => {
    const depotPair = depot();
    const base = validProject(depotPair.files);
    const mutations = [propertyMutations, operationMutations, schemaMutations, harmlessMutations].flatMap(
      (make) => make(depotPair),
    );
    const seen = new Set<string>();
    for (const { file, edit } of mutations.filter((_, index) => index % 3 === 0)) {
      try {
        const head = snapshotOf(withFile(depotPair, file, edit.text));
        const { changes, findings } = examine(head, base, "2026-01-01");
        // a break tells what comes of the same cause
        const also = findings.flatMap((each) =>
          (each.also ?? []).map(({ rule }) => ({ rule, class: each.change ?? "" })),
        );
        for (const change of [...changes, ...also])
          if (/^(rest|sdl|binding)-/.test(change.rule)) seen.add(ruleAndClass(change));
      } catch (error) {
        if (!(error instanceof SpecUnreadable)) throw error;
      }
    }
    const shown = new Set(examples.map(ruleAndClass));
    expect(seen.size).toBeGreaterThanOrEqual(9); // the proof tells most of the others
    expect([...seen].filter((each) => !shown.has(each))).toEqual([]);
  });
});

test("each rule says what to do", () => {
  const sections = [...sectionsOf(page, "Diagnostics"), ...changeSections.flat()];
  expect(sections.filter(({ text }) => !/^→ \S/m.test(text)).map(({ rule }) => rule)).toEqual([]);
});

test("the other findings are those that the stages name", () => {
  const files = ["ledger", "freshness", "retired-texts", "approvals", "usage"].map((name) =>
    read(`src/engine/check/${name}.ts`),
  );
  const named = files.flatMap((text) =>
    [
      ...text.matchAll(/"((?:operation|ledger|generated|saved-operation|approval|deprecation)-\w+)"/g),
    ].flatMap(([, rule = ""]) => (rule in rules ? [] : [rule])),
  );
  const shown = [...page.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, rule]) => rule);
  expect([...shown].sort()).toEqual([...new Set(named)].sort());
});
