/**
 * Avoids two findings with the same cause: a finding about a schema change already lists the saved operations that the change
 * makes invalid. If an app's operation was already invalid at the base, its finding becomes a note.
 */
import type { Project, ValidProject } from "../project/project.ts";
import { readOnce } from "../project/spec-files.ts";
import { operationErrors } from "../schema/saved-operations.ts";
import { isManifest } from "./frame.ts";
import { type Finding, isUnapproved } from "./report.ts";

/** Removes findings about operations that an unapproved change makes invalid. After the approval, they are reported. */
export function withInvalidOperations(
  findings: readonly Finding[],
  head: Project,
  base: ValidProject,
): readonly Finding[] {
  const documents = new Map(head.saved.map(({ name, document }) => [name, document]));
  const messagesIn = ({ model }: Project): ((name: string) => readonly string[]) =>
    readOnce((name) => {
      const document = documents.get(name);
      return document ? operationErrors(model?.schema, document).map(({ message }) => message) : [];
    });
  const now = messagesIn(head);
  const before = messagesIn(base);
  const ofApps = new Set(
    head.diagnostics.flatMap(({ coordinate, schema }) =>
      isManifest(schema?.file ?? "") ? [coordinate] : [],
    ),
  );
  const changes = findings.filter(({ rule, change }) => change === "breaking" && rule.startsWith("sdl-"));
  const isCoveredByChanges = ({ message }: Finding, name: string): boolean => {
    const own = changes.filter(({ operations }) => operations.some((each) => each.name === name));
    const isNew = now(name).includes(message) && !before(name).includes(message);
    return isNew && own.length > 0 && own.every(isUnapproved);
  };
  return findings.flatMap((finding): Finding[] => {
    const { rule, coordinate, message, operations } = finding;
    if (rule !== "saved-operation-invalid") return [finding];
    if (operations.length > 0 && operations.every(({ name }) => isCoveredByChanges(finding, name))) return [];
    const fittedBase = documents.has(coordinate) && before(coordinate).length === 0;
    if (!ofApps.has(coordinate) || fittedBase) return [finding];
    return [
      {
        ...finding,
        severity: "note",
        message: `${message}; it was invalid at the base, too`,
        hint: "the app's team has to fix it: clients that send it are rejected",
        operations: [],
      },
    ];
  });
}
