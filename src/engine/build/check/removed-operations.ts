/**
 * The texts of saved operations that are gone since the base. Clients that were built before still send them, or their ids.
 */
import type { Project } from "../project/project.ts";
import { operationText } from "../schema/saved-operations.ts";
import { frameAt } from "./frame.ts";
import { type Finding, ruleFinding } from "./report.ts";

/** A note for each. A file with errors has findings of its own. */
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
          ? `saved operation ${old.name} has another text now`
          : `saved operation ${old.name} is gone`,
        hint: "clients that send the old text are refused where OPERATIONS=saved: keep it under another name until they are gone",
        places: [now ? frameAt(head, "operation", now.place) : frameAt(base, "base operation", old.place)],
      }),
    ];
  });
}
