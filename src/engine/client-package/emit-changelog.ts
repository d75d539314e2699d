/**
 * The version and changelog of the client package, from the report of `check --base --format json`: a breaking change results
 * in a major version, any other change in a minor one, no change in a patch (Semantic Versioning 2.0.0 §6 to §8).
 */
import { UsageError } from "../shared/cli/command-failure.ts";
import { printable } from "../shared/cli/printable.ts";
import { isRecord, membersOf, parsedJson } from "../shared/json-object.ts";

const classes = { breaking: "Breaking", dangerous: "Behaviour", safe: "Added" } as const;
type Class = keyof typeof classes;

export type PackageChanges = {
  readonly version: string;
  readonly messages: ReadonlyMap<Class, readonly string[]>;
};

/** `after`: the previous version. Throws `UsageError` if `text` is not a JSON report of `check --base`. */
export function changesSinceVersion(after: string, file: string, text: string): PackageChanges {
  const { version, base, changes } = membersOf(parsedJson(text));
  if (version !== 2 || base === undefined || !Array.isArray(changes))
    throw new UsageError([
      `--report ${file}: is not a report of \`npm run check -- --base … --format json\``,
    ]);
  const messages = new Map<Class, string[]>((Object.keys(classes) as Class[]).map((each) => [each, []]));
  for (const each of changes)
    if (isRecord(each))
      messages.get(each.class as Class)?.push(printable(String(each.message)).replaceAll(/\s+/g, " "));
  const [major = 0, minor = 0, patch = 0] = after.split(/[.+-]/).map(Number);
  const isMinor = [...messages.values()].some(({ length }) => length > 0);
  const next = messages.get("breaking")?.length
    ? [major + 1, 0, 0]
    : isMinor
      ? [major, minor + 1, 0]
      : [major, minor, patch + 1];
  return { version: next.join("."), messages };
}

export function emitChangelog({ version, messages }: PackageChanges): string {
  const parts = [...messages].flatMap(([kind, all]) =>
    all.length === 0 ? [] : [`### ${classes[kind]}\n\n${all.map((message) => `- ${message}`).join("\n")}\n`],
  );
  return `# Changelog\n\n## ${version}\n\n${parts.join("\n") || "The API is unchanged.\n"}`;
}
