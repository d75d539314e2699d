/**
 * `node deploy/release-notes.ts v1.2.3` prints the changelog's chapter of that version. Exits with 1 if the engine's version, the
 * service's version or the changelog's dated chapter does not match the tag.
 */
import { readFileSync } from "node:fs";

type Texts = { readonly changelog: string; readonly versions: readonly string[] };

/** Returns the chapter's text. Throws an `Error` that names what differs from the tag. */
export function releaseNotes(tag: string, { changelog, versions }: Texts): string {
  const version = tag.replace(/^v/, "");
  const other = versions.find((each) => each !== version);
  if (other !== undefined) throw new Error(`the tag is ${tag}, and a package.json says ${other}`);
  const [, ...chapters] = changelog.split(/^## (?=\[)/m);
  const chapter = chapters.find((each) => each.startsWith(`[${version}]`));
  const [heading = "", ...lines] = chapter?.split("\n") ?? [];
  if (!/\] - \d{4}-\d{2}-\d{2}$/.test(heading))
    throw new Error(`CHANGELOG.md has no chapter "## [${version}] - <YYYY-MM-DD>"`);
  return `${lines.join("\n").trim()}\n`;
}

if (import.meta.main) {
  const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
  const versions = ["package.json", "src/engine/package.json"].map((path) => JSON.parse(read(path)).version);
  try {
    process.stdout.write(releaseNotes(process.argv[2] ?? "", { changelog: read("CHANGELOG.md"), versions }));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
