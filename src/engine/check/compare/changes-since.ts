/**
 * Stage 4: the changes of both spec files since the base. A REST change becomes a finding where a schema coordinate rests
 * on it. The report lists the other REST changes without a finding.
 */

import { isNonNullType } from "graphql";
import { boundFields, type Input, type Model } from "../../bind/model.ts";
import type { SpecSnapshot } from "../../bind/spec-snapshot.ts";
import { nodeKey } from "../../openapi/document.ts";
import { inputKey } from "../../openapi/operation.ts";
import { coordinatePlace } from "../../schema/coordinate-place.ts";
import { fingerprint } from "../fingerprint.ts";
import { frameAt } from "../frame.ts";
import type { Finding, Frame, SpecChange } from "../report.ts";
import type { RestChange } from "./rest-change.ts";
import { restChanges } from "./rest-changes.ts";
import type { SchemaChange } from "./schema-change.ts";
import { schemaChanges } from "./schema-changes.ts";

/** A snapshot with a valid schema. */
export type BoundSnapshot = SpecSnapshot & { readonly model: Model };

type Changes = { findings: Finding[]; changes: SpecChange[] };

/** Without a valid schema in `head` there is nothing to compare; the errors of the schema are findings of their own. */
export function changesSince(base: BoundSnapshot, head: SpecSnapshot): Changes {
  const { model } = head;
  if (!model) return { findings: [], changes: [] };
  const now = { ...head, model };
  const broken = new Set(
    head.diagnostics.flatMap(({ severity, coordinate }) =>
      severity === "error" ? [fieldOf(coordinate)] : [],
    ),
  );
  // a changed binding that has an error has a finding for it already
  const isCovered = ({ rule, coordinate }: SchemaChange): boolean =>
    rule === "binding-changed" && broken.has(coordinate);
  const all = [
    ...schemaChanges(base.model, model)
      .filter((change) => !isCovered(change))
      .map((change) => fromSchemaChange(base, now, change)),
    ...fromRestChanges(base, now),
  ];
  return { findings: all.flatMap(({ finding }) => finding ?? []), changes: all.map(({ change }) => change) };
}

type ChangeWithFinding = { readonly change: SpecChange; readonly finding?: Finding };

function fromSchemaChange(base: BoundSnapshot, head: BoundSnapshot, change: SchemaChange): ChangeWithFinding {
  const { rule, coordinate, message } = change;
  const specChange: SpecChange = {
    side: "schema",
    rule,
    class: change.class,
    at: coordinate,
    message,
    coordinates: [coordinate],
    operations: [],
  };
  if (change.class === "safe") return { change: specChange };
  const places = [...schemaFrames(base, head, coordinate), ...restFrames(head, coordinate)];
  const facts = [change.before, change.after];
  return { change: specChange, finding: findingOf(specChange, change.class, coordinate, places, facts) };
}

function fromRestChanges(base: BoundSnapshot, head: BoundSnapshot): ChangeWithFinding[] {
  const coordinatesOf = coordinateFinder(base.model);
  return restChanges(base.model, head.model).map((change) => {
    const coordinates = coordinatesOf(change);
    const { rule, at, message, direction } = change;
    const specChange: SpecChange = {
      side: "rest",
      rule,
      class: change.class,
      at,
      ...(direction && { direction }),
      message,
      coordinates,
      operations: [],
    };
    const [coordinate] = coordinates;
    if (change.class === "safe" || coordinate === undefined) return { change: specChange };
    const places = [
      ...schemaFrames(base, head, coordinate),
      ...(change.new
        ? [frameAt(head, "rest", head.model.document.place(change.new, ...(change.below ?? [])))]
        : []),
      ...(change.old
        ? [frameAt(base, "base rest", base.model.document.place(change.old, ...(change.below ?? [])))]
        : []),
    ];
    const facts = [change.old ? nodeKey(change.old) : at, change.before, change.after];
    return { change: specChange, finding: findingOf(specChange, change.class, coordinate, places, facts) };
  });
}

function findingOf(
  { rule, message, coordinates, side, direction }: SpecChange,
  change: "breaking" | "dangerous",
  coordinate: string,
  places: readonly Frame[],
  facts: readonly unknown[],
): Finding {
  const dependents =
    coordinates.length > 1
      ? `${coordinate} (and ${coordinates.length - 1} more) rest`
      : `${coordinate} rests`;
  return {
    stage: "changes",
    rule,
    severity: change === "breaking" ? "error" : "warning",
    change,
    coordinate,
    coordinates,
    ...(direction && { direction }),
    message: side === "rest" ? `${message}; ${dependents} on it` : message,
    hint: "take the change back, or approve it",
    places,
    operations: [],
    fingerprint: fingerprint(rule, coordinate, facts),
  };
}

/** The definition of a coordinate; if it is gone, its old definition and the type that held it. */
function schemaFrames(base: BoundSnapshot, head: BoundSnapshot, coordinate: string): Frame[] {
  const now = coordinatePlace(head.model.schema, coordinate);
  if (now) return [frameAt(head, "schema", now)];
  const [type = ""] = coordinate.split(/[.(]/);
  const holder = coordinatePlace(head.model.schema, type);
  const was = coordinatePlace(base.model.schema, coordinate);
  return [
    ...(holder ? [frameAt(head, "schema", holder)] : []),
    ...(was ? [frameAt(base, "base schema", was)] : []),
  ];
}

/** The REST node that a coordinate rests on now. */
function restFrames(head: BoundSnapshot, coordinate: string): Frame[] {
  const reliance = head.model.reliances.find((each) => each.coordinate === coordinate);
  return reliance ? [frameAt(head, "rest", head.model.document.place(reliance.node))] : [];
}

/** The field of an argument's coordinate. */
const fieldOf = (coordinate: string): string => coordinate.replace(/\(.*/, "");

/** A client may leave an argument out: REST's own default counts then. */
const isAlwaysSent = ({ source, argumentDefault }: Input): boolean =>
  source.kind !== "argument" || isNonNullType(source.type) || argumentDefault !== undefined;

/** Finds the base's coordinates that a change reaches: by the nodes they rest on, or by the operation they are bound to. */
function coordinateFinder(model: Model): (change: RestChange) => string[] {
  const byNode = Map.groupBy(model.reliances, ({ node }) => nodeKey(node));
  const byOperation = Map.groupBy(boundFields(model), ({ operation }) => operation.id);
  const order = new Map([...model.fields.keys()].map((coordinate, index) => [coordinate, index]));
  const orderOf = (coordinate: string): number => order.get(fieldOf(coordinate)) ?? order.size;
  return ({ joins, direction, within, operations = [] }) => {
    const reliances = joins.flatMap((node) => byNode.get(nodeKey(node)) ?? []);
    const isWithin = (coordinate: string): boolean => {
      const field = model.fields.get(fieldOf(coordinate));
      return within === undefined || field?.kind !== "bound" || field.operation.id === within;
    };
    const concerned = reliances.filter(
      (each) => (!direction || each.direction === direction) && isWithin(each.coordinate),
    );
    const found = new Set(concerned.map(({ coordinate }) => coordinate));
    for (const { id, unlessFed } of operations) {
      for (const { coordinate, inputs } of byOperation.get(id) ?? [])
        if (!inputs.some((input) => inputKey(input) === unlessFed && isAlwaysSent(input)))
          found.add(coordinate);
    }
    return [...found].sort((one, other) => orderOf(one) - orderOf(other) || (one < other ? -1 : 1));
  };
}
