/** Decision records have one shape and are listed; they and CONTRIBUTING.md name files that exist. */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { read, root } from "./page.ts";

const records = readdirSync(join(root, "docs/adr")).filter((name) => name !== "README.md");

test("each record is listed by its title, and has the four parts of a decision", () => {
  const index = read("docs/adr/README.md");
  expect(records.length).toBeGreaterThan(10);
  for (const name of records) {
    const page = read(`docs/adr/${name}`);
    const [, number, title] = /^# (\d{3})\. (.+)\n/.exec(page) ?? [];
    expect(name.startsWith(`${number}-`), name).toBe(true);
    expect(index).toContain(`| ${number} | [${title}](${name}) |`);
    const parts = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(parts, name).toEqual(["Context", "Options", "Decision", "Consequences"]);
  }
});

test.each(["CONTRIBUTING.md", ...records.map((name) => `docs/adr/${name}`)])(
  "%s names only files that exist",
  (path) => {
    const page = read(path);
    const named = [...page.matchAll(/`((?:spec|src|test|docs)\/[\w./-]+)`/g)].map(([, name = ""]) => name);
    const linked = [...page.matchAll(/\]\(([\w./-]+)\)/g)].map(([, name = ""]) => join(dirname(path), name));
    expect([...named, ...linked].filter((name) => !existsSync(join(root, name)))).toEqual([]);
  },
);
