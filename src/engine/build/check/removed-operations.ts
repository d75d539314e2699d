/**
 * Reports saved operations that were changed or removed since the base. Clients that were built before the change still send the
 * old text or its id.
 */
import type { Project } from "../project/project.ts";
import { operationText } from "../schema/saved-operations.ts";
import { frameAt } from "./frame.ts";
import { type Finding, ruleFinding } from "./report.ts";

/** Returns one note for each changed or removed operation. Skips files with errors, because they have their own findings. */
export function removedOperationNotes(base: Project, head: Project): Finding[] {
  const texts = new Set(head.saved.map(operationText));
  const faulty = new Set(
    head.diagnostics.flatMap(({ rule, schema }) =>
      rule === "saved-operation-invalid" && schema ? [schema.file] : [],
    ),
  );
  return base.saved.flatMap((old): Finding[] => {
    if (texts.has(operationText(old)) || faulty.has(old.file)) return [];
    const now = head.saved.find(({ name }) => name === old.name);
    return [
      ruleFinding(now ? "saved-operation-changed" : "saved-operation-removed", old.name, {
        message: now
          ? `the text of saved operation ${old.name} has changed`
          : `saved operation ${old.name} was removed`,
        hint: "with OPERATIONS=saved, clients that send the old text are rejected: keep it under another name until no client sends it",
        places: [now ? frameAt(head, "operation", now.place) : frameAt(base, "base operation", old.place)],
      }),
    ];
  });
}
