/**
 * Prints docs/reference/rules.md from the rules and from the page itself: of each section the heading and the line below it are the
 * rule's, and so are the tables. What else stands in a section is written by hand, and stays.
 */
import { restRules, schemaRules } from "../../../src/engine/build/check/changes/change-catalogue.ts";
import { otherRules } from "../../../src/engine/build/check/rules.ts";
import { rules } from "../../../src/engine/build/diagnostic.ts";

export function printedRules(page: string): string {
  const chapters: Readonly<Record<string, (text: string) => string>> = {
    Diagnostics: (text) =>
      withSections(
        text,
        Object.entries(rules).map(([id, { severity, meaning }]) => [id, `${severity} · ${meaning}`]),
      ),
    "Changes of the OpenAPI document": (text) =>
      withSections(
        text,
        Object.entries(restRules).map(([id, { classes, meaning, advice }]) => [
          id,
          `${classes.join(" or ")} · ${meaning}`,
          `→ ${sentence(advice)}`,
        ]),
      ),
    "Changes of the GraphQL schema": (text) =>
      withTable(
        text,
        ["rule", "class", "means", "what to do"],
        Object.entries(schemaRules).map(([id, { classes, meaning, advice }]) => [
          id,
          classes.join(" or "),
          meaning,
          sentence(advice),
        ]),
      ),
    "Other findings": (text) =>
      withTable(
        text,
        ["rule", "severity", "means"],
        Object.entries(otherRules).map(([id, { severity, meaning }]) => [id, severity, meaning]),
      ),
  };
  const [intro = "", ...texts] = page.split(/^(?=## )/m);
  const printed = texts.map((text) => chapters[text.slice("## ".length, text.indexOf("\n"))]?.(text) ?? text);
  return `${[intro, ...printed].join("").trimEnd()}\n`;
}

const sentence = (advice = ""): string => advice && `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`;

/** Of each section the line below its heading, and its last line, if the rule has it. */
function withSections(chapter: string, rows: readonly (readonly string[])[]): string {
  const [intro = "", ...old] = chapter.split(/^(?=### )/m);
  const written = new Map(
    old.map((text) => [/^### `([\w-]+)`/.exec(text)?.[1], text.split("\n").slice(4).join("\n").trim()]),
  );
  const printed = rows.map(([id = "", line, last]) => {
    const own = written.get(id) ?? "";
    const kept = last === undefined ? own : own.replace(/^→ [\s\S]*/m, "").trim();
    const parts = [`### \`${id}\``, line, kept, last].filter((part) => part);
    return `${parts.join("\n\n")}\n\n`;
  });
  return intro + printed.join("");
}

function withTable(chapter: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`.replace("|  |", "| |");
  const lines = rows.map(([id, ...cells]) => line([`\`${id}\``, ...cells]));
  const words = chapter.replaceAll(/^\|.*\n?/gm, "").trimEnd();
  return `${words}\n\n${[line(head), line(head.map(() => "---")), ...lines].join("\n")}\n\n`;
}
