/**
 * Stage 5: impact analysis. A finding or a change has schema coordinates; a saved operation that selects one of them is
 * impacted. A breaking change or an error breaks the operation, a dangerous change or a warning affects it.
 */
import { callCost } from "../bind/call-cost.ts";
import type { SpecSnapshot } from "../bind/spec-snapshot.ts";
import type { SavedOperation } from "../schema/saved-operations.ts";
import { selectedCoordinates } from "../schema/selected-coordinates.ts";
import type { Finding, Impact, ImpactedOperation, OperationReport, SpecChange } from "./report.ts";

type FindingOrChange = Finding | SpecChange;

const coordinatesOf = (item: FindingOrChange): readonly string[] =>
  item.coordinates ?? ("coordinate" in item ? [item.coordinate] : []);

/** The items, each with the saved operations that it breaks or affects. */
export function withImpactedOperations<T extends FindingOrChange>(
  head: SpecSnapshot,
  base: SpecSnapshot | undefined,
  items: readonly T[],
): T[] {
  const selections = selectionsOf(head, base);
  return items.map((item) => {
    const verdict = verdictOf(item);
    if (verdict === "untouched") return item;
    const operations = [...selections].flatMap(([operation, selected]): ImpactedOperation[] =>
      concerns(item, operation, selected)
        ? [{ name: operation.name, file: `spec/${operation.file}`, line: operation.place.line, verdict }]
        : [],
    );
    return { ...item, operations };
  });
}

/** Every saved operation with its verdict and, if the operation is valid, its cost. */
export function operationReports(
  head: SpecSnapshot,
  base: SpecSnapshot | undefined,
  findings: readonly Finding[],
): OperationReport[] {
  return [...selectionsOf(head, base)].map(([operation, selected]) => {
    const own = findings.filter((finding) => concerns(finding, operation, selected));
    const verdicts = own.map(verdictOf);
    const verdict = verdicts.includes("broken")
      ? "broken"
      : verdicts.includes("affected")
        ? "affected"
        : "untouched";
    const because = own
      .filter((finding) => verdict !== "untouched" && verdictOf(finding) === verdict)
      .flatMap((finding) => coordinatesOf(finding).filter((each) => selected.has(each)));
    return {
      name: operation.name,
      file: `spec/${operation.file}`,
      line: operation.place.line,
      verdict,
      because: [...new Set(because)].sort(),
      ...(head.model && operation.isValid && { calls: callCost(head.model, operation) }),
    };
  });
}

function verdictOf(item: FindingOrChange): Impact {
  const kind = "class" in item ? item.class : item.change;
  if (kind) return kind === "breaking" ? "broken" : kind === "dangerous" ? "affected" : "untouched";
  const severity = "severity" in item ? item.severity : undefined;
  return severity === "error" ? "broken" : severity === "warning" ? "affected" : "untouched";
}

/** `saved-operation-invalid` has the name of an operation or fragment in place of a schema coordinate. */
const concerns = (
  item: FindingOrChange,
  operation: SavedOperation,
  selected: ReadonlySet<string>,
): boolean => {
  const own = coordinatesOf(item);
  if (item.rule !== "saved-operation-invalid") return own.some((each) => selected.has(each));
  return operation.document.definitions.some(
    (definition) => "name" in definition && own.includes(definition.name?.value ?? ""),
  );
};

/** The coordinates that each saved operation selects, in the new and in the old schema. A removed field counts too. */
function selectionsOf(head: SpecSnapshot, base: SpecSnapshot | undefined): Map<SavedOperation, Set<string>> {
  const models = [head.model, base?.model].filter((model) => model !== undefined);
  return new Map(
    head.saved.map((operation) => [
      operation,
      new Set(models.flatMap(({ schema }) => [...selectedCoordinates(schema, operation.document)])),
    ]),
  );
}
