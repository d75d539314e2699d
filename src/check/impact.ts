/**
 * Stage 5: joins findings and changes, known by schema coordinates, to the saved operations that select those
 * coordinates. What rests on something that breaks is broken, what rests on something dangerous is affected.
 */
import { callCost } from "../spec/call-cost.ts";
import type { SavedOperation } from "../spec/saved-operations.ts";
import { selectedCoordinates } from "../spec/selected-coordinates.ts";
import type { Finding, OperationImpact, ReportedChange, Touched, Verdict } from "./report.ts";
import type { Side } from "./side.ts";

type About = Finding | ReportedChange;

/** A finding without coordinates of its own stands at one. */
const coordinatesOf = (about: About): readonly string[] =>
  about.coordinates ?? ("coordinate" in about ? [about.coordinate] : []);

/** The same, each with the saved operations that it touches. */
export function touchedBy<T extends About>(head: Side, base: Side | undefined, items: readonly T[]): T[] {
  const selections = selectionsOf(head, base);
  return items.map((item) => {
    const verdict = verdictOf(item);
    if (verdict === "untouched") return item;
    const touched = [...selections].flatMap(([operation, selected]): Touched[] =>
      isAbout(item, operation, selected)
        ? [{ name: operation.name, file: `spec/${operation.file}`, line: operation.place.line, verdict }]
        : [],
    );
    return { ...item, operations: touched };
  });
}

/** Every saved operation with its verdict and, if it is valid, what it costs. */
export function operationImpacts(
  head: Side,
  base: Side | undefined,
  findings: readonly Finding[],
): OperationImpact[] {
  return [...selectionsOf(head, base)].map(([operation, selected]) => {
    const about = findings.filter((finding) => isAbout(finding, operation, selected));
    const verdicts = about.map(verdictOf);
    const verdict = verdicts.includes("broken")
      ? "broken"
      : verdicts.includes("affected")
        ? "affected"
        : "untouched";
    const because = about
      .filter((finding) => verdictOf(finding) !== "untouched")
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

function verdictOf(about: About): Verdict {
  const kind = "class" in about ? about.class : about.change;
  if (kind) return kind === "breaking" ? "broken" : kind === "dangerous" ? "affected" : "untouched";
  const severity = "severity" in about ? about.severity : undefined;
  return severity === "error" ? "broken" : severity === "warning" ? "affected" : "untouched";
}

/** A finding of a saved operation stands at the operation's or fragment's name, every other one at coordinates. */
const isAbout = (about: About, operation: SavedOperation, selected: ReadonlySet<string>): boolean => {
  const own = coordinatesOf(about);
  if (about.rule !== "saved-operation-invalid") return own.some((each) => selected.has(each));
  return operation.document.definitions.some(
    (definition) => "name" in definition && own.includes(definition.name?.value ?? ""),
  );
};

/** What each saved operation selects, of the schema as it is and as it was: a field that is gone counts too. */
function selectionsOf(head: Side, base: Side | undefined): Map<SavedOperation, Set<string>> {
  const models = [head.model, base?.model].filter((model) => model !== undefined);
  return new Map(
    head.saved.map((operation) => [
      operation,
      new Set(models.flatMap(({ schema }) => [...selectedCoordinates(schema, operation.document)])),
    ]),
  );
}
