/**
 * Turns a change into a note if clients did not use the changed fields. The usage ledger lists the saved operations that clients
 * ran and, for other operations, the fields that they selected.
 */
import type { GraphQLSchema } from "graphql";
import { getNamedType } from "graphql";
import { selectedCoordinates } from "../../shared/selected-coordinates.ts";
import type { Project, ValidProject } from "../project/project.ts";
import { coordinateLocation, elementAt, fieldOf } from "../schema/schema-coordinate.ts";
import { frameAt } from "./frame.ts";
import { type Finding, ruleFinding, type UsageReport } from "./report.ts";

export type Usage = {
  /** The argument of `--usage`. */
  readonly source: string;
  /** The first day of the period, `YYYY-MM-DD`, UTC. */
  readonly since: string;
  /** The clients of each saved operation, such as `web 1.4.0` (app and version), by the operation's name. */
  readonly operations: ReadonlyMap<string, ReadonlySet<string>>;
  /** The clients of each schema coordinate in operations that are not saved. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
  /** The last day on which each saved operation or coordinate was used. */
  readonly lastDays: ReadonlyMap<string, string>;
  /** Whether the ledger lacks some operations, because clients ran more distinct ones than it can record. */
  readonly isIncomplete: boolean;
};

type CountedUsage = Usage & UsageReport;

export function usageReport(
  { source, since, operations, isIncomplete }: Usage,
  head: Project,
  base: ValidProject,
) {
  const saved = new Set([...head.saved, ...base.saved].map(({ name }) => name));
  const used = [...operations.keys()].filter((name) => saved.has(name)).sort();
  return {
    source,
    since,
    used,
    unknown: operations.size - used.length + Number(isIncomplete),
  } satisfies UsageReport;
}

/** For each selected schema element that uses a deprecated REST element, returns a note with its clients. */
export function deprecatedUses(
  { operations, fields, lastDays, used, since }: CountedUsage,
  head: Project,
): Finding[] {
  const { saved, model } = head;
  if (!model) return [];
  const running = saved.filter(({ name }) => used.includes(name));
  const selected = running.map(
    ({ name, document }) => [name, selectedCoordinates(model.schema, document)] as const,
  );
  return [...model.deprecations].flatMap(([coordinate, { sunset }]): Finding[] => {
    const asking = selected.filter(([, coordinates]) => coordinates.has(coordinate));
    const others = fields.get(coordinate);
    if (asking.length === 0 && !others) return [];
    const described = (name: string, by: Iterable<string> = [], last = lastDays.get(name)): string => {
      const details = [...[...by].sort(), ...(last === undefined ? [] : [`last on ${last}`])];
      return details.length === 0 ? name : `${name} (${details.join(", ")})`;
    };
    const names = [
      ...asking.map(([name]) => described(name, operations.get(name))),
      ...(others ? [described("operations that are not saved", others, lastDays.get(coordinate))] : []),
    ];
    const place = coordinateLocation(model.schema, coordinate);
    const until = sunset === undefined ? "" : ` until ${sunset}`;
    return [
      ruleFinding("deprecation-used", coordinate, {
        message: `${coordinate} depends on a deprecated part of REST${until}, and clients have selected it since ${since}: ${names.join(", ")}`,
        hint: "tell these clients what to use instead",
        places: place ? [frameAt(head, "schema", place)] : [],
      }),
    ];
  });
}

/** Turns each unapproved change into a note if clients use no coordinate that the change affects. */
export function downgradeUnused(
  findings: readonly Finding[],
  { used, unknown, since, fields }: CountedUsage,
  head: Project,
  base: ValidProject,
): readonly Finding[] {
  if (unknown > 0) return findings;
  const isUsed = usedCoordinates(new Set(used), fields, head, base);
  return findings.map((finding) => {
    const { change, coordinates = [finding.coordinate], approval, fingerprint, ...rest } = finding;
    if (!change || finding.stage !== "changes" || approval || coordinates.some(isUsed)) return finding;
    return {
      ...rest,
      change,
      coordinates,
      severity: "note" as const,
      message: `${finding.message}; not used since ${since}`,
      hint: "no operation that selects it has run: nothing to do",
    };
  });
}

/**
 * Returns a predicate for coordinates that clients use in the old or the new schema. If a saved operation was changed or removed,
 * also counts its version in the base.
 */
function usedCoordinates(
  names: ReadonlySet<string>,
  fields: Usage["fields"],
  head: Project,
  base: ValidProject,
) {
  const { schema: old } = base.model;
  const schemas = [old, ...(head.model ? [head.model.schema] : [])];
  const used = new Set(fields.keys());
  for (const { name, document } of [...head.saved, ...base.saved])
    if (names.has(name))
      for (const schema of schemas)
        for (const coordinate of selectedCoordinates(schema, document)) used.add(coordinate);
  const types = new Set(schemas.flatMap((schema) => [...used].flatMap((each) => typesAt(schema, each))));
  return (coordinate: string): boolean => {
    const type = ownerOf(coordinate);
    const holder = old.getType(type);
    if (!holder) return true;
    if (type === coordinate || !("getFields" in holder)) return types.has(type);
    // no client uses a new element yet, so the clients of its field, or else of its type, count
    const known = [coordinate, fieldOf(coordinate)].find((each) => elementAt(old, each));
    return known === undefined ? types.has(type) : used.has(known);
  };
}

const ownerOf = (coordinate: string): string => coordinate.split(".", 1)[0] ?? "";

/** The names of the type that declares the coordinate and of the type of its value. */
function typesAt(schema: GraphQLSchema, coordinate: string): string[] {
  const { type } = elementAt(schema, coordinate) ?? {};
  return [ownerOf(coordinate), ...(type ? [getNamedType(type).name] : [])];
}
