/**
 * Stage 4: what changed since the base, in the schema and in the document. A REST change becomes a finding where a schema
 * coordinate rests on it; the others are reported, and touch nobody here.
 */
import { coordinatePlace } from "../spec/coordinate-place.ts";
import type { Model } from "../spec/model.ts";
import { inputKey } from "../spec/operations.ts";
import { nodeKey } from "../spec/rest-document.ts";
import { restChanges } from "./compare-operations.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Finding, Frame, ReportedChange } from "./report.ts";
import type { RestChange } from "./rest-change.ts";
import { type SchemaChange, schemaChanges } from "./schema-changes.ts";
import type { Side } from "./side.ts";

type Bound = Side & { readonly model: Model };
type Changes = { findings: Finding[]; changes: ReportedChange[] };

/** Without a valid schema now there is nothing to compare, and its errors are findings already. */
export function changesSince(base: Bound, head: Side): Changes {
  const { model } = head;
  if (!model) return { findings: [], changes: [] };
  const now = { ...head, model };
  const broken = new Set(
    head.diagnostics.flatMap(({ severity, coordinate }) =>
      severity === "error" ? [coordinate.replace(/\(.*/, "")] : [],
    ),
  );
  // a binding that is wrong reads nothing now, and its own finding says so
  const isTold = ({ rule, coordinate }: SchemaChange): boolean =>
    rule === "binding-changed" && broken.has(coordinate);
  const all = [
    ...schemaChanges(base.model, model)
      .filter((change) => !isTold(change))
      .map((change) => fromSchema(base, now, change)),
    ...fromRest(base, now),
  ];
  return { findings: all.flatMap(({ finding }) => finding ?? []), changes: all.map(({ change }) => change) };
}

type Reported = { readonly change: ReportedChange; readonly finding?: Finding };

function fromSchema(base: Bound, head: Bound, change: SchemaChange): Reported {
  const { rule, coordinate, message } = change;
  const reported: ReportedChange = {
    side: "schema",
    rule,
    class: change.class,
    at: coordinate,
    message,
    coordinates: [coordinate],
    operations: [],
  };
  if (change.class === "safe") return { change: reported };
  const places = [...schemaFrames(base, head, coordinate), ...restFrames(head, coordinate)];
  const facts = [change.before, change.after];
  return { change: reported, finding: findingOf(reported, change.class, coordinate, places, facts) };
}

function fromRest(base: Bound, head: Bound): Reported[] {
  const reached = reachOf(base.model);
  return restChanges(base.model, head.model).map((change) => {
    const coordinates = reached(change);
    const { rule, at, message } = change;
    const reported: ReportedChange = {
      side: "rest",
      rule,
      class: change.class,
      at,
      message,
      coordinates,
      operations: [],
    };
    const [coordinate] = coordinates;
    if (change.class === "safe" || coordinate === undefined) return { change: reported };
    const places = [
      ...schemaFrames(base, head, coordinate),
      ...(change.new
        ? [head.frame("rest", head.model.document.place(change.new, ...(change.below ?? [])))]
        : []),
      ...(change.old
        ? [base.frame("base rest", base.model.document.place(change.old, ...(change.below ?? [])))]
        : []),
    ];
    const facts = [change.old ? nodeKey(change.old) : at, change.before, change.after];
    return { change: reported, finding: findingOf(reported, change.class, coordinate, places, facts) };
  });
}

function findingOf(
  { rule, message, coordinates, side }: ReportedChange,
  change: "breaking" | "dangerous",
  coordinate: string,
  places: readonly Frame[],
  facts: readonly unknown[],
): Finding {
  const more = coordinates.length > 1 ? ` (and ${coordinates.length - 1} more)` : "";
  return {
    stage: "changes",
    rule,
    severity: change === "breaking" ? "error" : "warning",
    change,
    coordinate,
    coordinates,
    message: side === "rest" ? `${message}; ${coordinate}${more} rests on it` : message,
    hint: "take the change back, or approve it",
    places,
    operations: [],
    fingerprint: fingerprint(rule, coordinate, facts),
  };
}

/** Where a coordinate stands now, or stood, if it is gone. */
function schemaFrames(base: Bound, head: Bound, coordinate: string): Frame[] {
  const now = coordinatePlace(head.model.schema, coordinate);
  if (now) return [head.frame("schema", now)];
  const [owner = ""] = coordinate.split(/[.(]/);
  const holder = coordinatePlace(head.model.schema, owner);
  const was = coordinatePlace(base.model.schema, coordinate);
  return [
    ...(holder ? [head.frame("schema", holder)] : []),
    ...(was ? [base.frame("base schema", was)] : []),
  ];
}

/** The REST node that a coordinate of the schema rests on now. */
function restFrames(head: Bound, coordinate: string): Frame[] {
  const reliance = head.model.reliances.find((each) => each.coordinate === coordinate);
  return reliance ? [head.frame("rest", head.model.document.place(reliance.node))] : [];
}

/** Which coordinates of the base a change reaches: by the nodes they rest on, or by the operation they are bound to. */
function reachOf(model: Model): (change: RestChange) => string[] {
  const byNode = Map.groupBy(model.reliances, ({ node }) => nodeKey(node));
  const order = new Map([...model.fields.keys()].map((coordinate, index) => [coordinate, index]));
  const orderOf = (coordinate: string): number => order.get(coordinate.replace(/\(.*/, "")) ?? order.size;
  return ({ joins, direction, operation, operations = operation ? [operation.id] : [] }) => {
    const reliances = joins.flatMap((node) => byNode.get(nodeKey(node)) ?? []);
    const concerned = reliances.filter((each) => !direction || each.direction === direction);
    const found = new Set(concerned.map(({ coordinate }) => coordinate));
    for (const field of operations.length > 0 ? model.fields.values() : []) {
      if (field.kind !== "bound" || !operations.includes(field.operation.id)) continue;
      const fed = field.inputs.some((input) => inputKey(input) === operation?.unlessFed);
      if (!fed) found.add(field.coordinate);
    }
    return [...found].sort((one, other) => orderOf(one) - orderOf(other) || (one < other ? -1 : 1));
  };
}
