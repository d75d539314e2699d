/**
 * Stage 4: what breaks clients of the base. The proof of the new spec decides it: an error that the base did not have is a
 * break. `schema-changes.ts` adds what clients see of the schema, `facts.ts` and `value-changes.ts` what no proof sees. The
 * base's types need no proof of their own over the new document: where they differ from today's, graphql-js tells it.
 * A change is told once, where it happened, with all coordinates that it reaches.
 */
import type { Model } from "../../bind/model.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { nodeKey } from "../../openapi/document.ts";
import { isSameOperation } from "../../openapi/operation.ts";
import { isValid, type Project, type ValidProject } from "../../project/project.ts";
import { coordinatePlace, definitionAt, fieldOf } from "../../schema/coordinate-place.ts";
import { fingerprint } from "../fingerprint.ts";
import { frameAt } from "../frame.ts";
import type { Finding, Frame, SpecChange } from "../report.ts";
import { breakAt, breakFinding, breaksOf, eachOnce, messageOf, placeKey } from "./breaks.ts";
import { causeOfChange, differenceBelow } from "./causes.ts";
import { type ChangeClass, changeRules } from "./change-rules.ts";
import { factChanges } from "./facts.ts";
import type { RestChange } from "./rest-change.ts";
import type { SchemaChange } from "./schema-change.ts";
import { schemaChanges } from "./schema-changes.ts";
import { valueChanges } from "./value-changes.ts";

type Changes = {
  readonly findings: readonly Finding[];
  readonly changes: readonly SpecChange[];
  /** The errors of `head` that the findings tell. */
  readonly told: ReadonlySet<Diagnostic>;
};

/** Without a valid schema in `head` there is nothing to compare; the errors of the schema are findings of their own. */
export function changesSince(base: ValidProject, head: Project, today: string): Changes {
  if (!isValid(head)) return { findings: [], changes: [], told: new Set() };
  const { model } = head;
  const errors = head.diagnostics.filter(({ severity }) => severity === "error");
  const broken = new Set(errors.map(({ coordinate }) => coordinate));
  const brokenFields = new Set(errors.map(({ coordinate }) => fieldOf(coordinate)));
  const breaks = breaksOf(base, head);
  const own: RestChange[] = [];
  for (const change of [...factChanges(base.model, model), ...valueChanges(base.model, model)]) {
    const isOfValue = change.direction !== undefined;
    // a coordinate with an error, or that is bound otherwise, has a finding already
    if (change.rule === "rest-answer-removed" && broken.has(change.coordinate)) continue;
    if (isOfValue && (broken.has(change.coordinate) || isRebound(base.model, model, change.coordinate)))
      continue;
    const cause =
      !isOfValue && change.below
        ? { node: change.new, below: change.below }
        : causeOfChange(base.model.document, model.document, change.new);
    const key = cause && placeKey(cause.node, cause.below);
    const found =
      breaks.get(placeKey(change.old, [])) ??
      breaks.get(key ?? "") ??
      // a list that is a page now is no list at its old place
      (change.rule === "rest-list-paged" ? breakAt(breaks, change.coordinate) : undefined);
    (found?.changes ?? own).push({ ...change, ...(isOfValue && key !== undefined && { cause: key }) });
  }
  const told = [
    ...[...breaks.values()].map((each) => breakFinding(base, head, each)),
    ...restFindings(base, head, own),
  ];
  const ofSchema = schemaChanges(base.model, model, today).flatMap((change) =>
    change.rule === "binding-changed" && brokenFields.has(change.coordinate)
      ? []
      : [schemaFinding(base, head, change)],
  );
  const isFinding = (each: Told): each is Finding => each.change !== "safe";
  return {
    findings: [...told, ...ofSchema.filter(isFinding)],
    changes: [...ofSchema, ...told].map(summaryOf),
    told: new Set([...breaks.values()].flatMap((each) => each.errors)),
  };
}

function isRebound(base: Model, head: Model, coordinate: string): boolean {
  const [old, now] = [base, head].map(({ fields }) => fields.get(fieldOf(coordinate)));
  if (old?.kind === "bound" && now?.kind === "bound") return !isSameOperation(old.operation, now.operation);
  return (
    old?.kind !== now?.kind ||
    (old?.kind === "plain" && now?.kind === "plain" && `${old.path}` !== `${now.path}`)
  );
}

/** One finding for each change, with all coordinates that it reaches, in the order of the schema. */
function restFindings(base: ValidProject, head: ValidProject, changes: readonly RestChange[]): Finding[] {
  const order = new Map([...base.model.fields.keys()].map((coordinate, index) => [coordinate, index]));
  // a change is told where it happened
  const orderOf = ({ coordinate, cause, new: now }: RestChange): number =>
    (order.get(fieldOf(coordinate)) ?? order.size) +
    (cause?.startsWith(nodeKey(now)) === false ? order.size + 1 : 0);
  return [...Map.groupBy(changes, keyOf).values()].map((all) => {
    const sorted = all.toSorted(
      (one, other) => orderOf(one) - orderOf(other) || (one.coordinate < other.coordinate ? -1 : 1),
    );
    return restFinding(base, head, sorted as [RestChange, ...RestChange[]]);
  });
}

function keyOf({ rule, class: kind, phrase, before, after, old, new: now, cause }: RestChange): string {
  const isOfPath = rule === "rest-operation-moved";
  const nodes = isOfPath ? [] : [nodeKey(old), /-removed$/.test(rule) || nodeKey(now)];
  return JSON.stringify(
    cause === undefined || isOfPath ? [rule, kind, phrase, before, after, ...nodes] : [rule, kind, cause],
  );
}

function restFinding(
  base: ValidProject,
  head: ValidProject,
  all: readonly [RestChange, ...RestChange[]],
): Finding {
  const [{ rule, class: kind, coordinate, direction, old, new: now, before, after }] = all;
  const [{ below = differenceBelow(base.model.document, head.model.document, old) ?? [] }] = all;
  const coordinates = [...new Set(all.map((each) => each.coordinate))];
  const others = eachOnce(base, all).slice(1);
  const also = others.every(({ message }) => message === messageOf(base, all[0])) ? [] : others;
  const isOneWay = direction && all.every((each) => each.direction === direction);
  return {
    ...changeFinding(rule, kind, coordinate, [nodeKey(old), before, after]),
    coordinates,
    ...(isOneWay && { direction }),
    message: messageOf(base, all[0]),
    ...(also.length > 0 && { also }),
    places: [
      ...schemaFrames(base, head, coordinate),
      frameAt(head, "rest", head.model.document.place(now, ...below)),
      frameAt(base, "base rest", base.model.document.place(old, ...below)),
    ],
  };
}

/** A safe change is no finding. */
type Told = Omit<Finding, "change"> & { readonly change?: ChangeClass };

const changeFinding = <Class extends ChangeClass>(
  rule: keyof typeof changeRules,
  change: Class,
  coordinate: string,
  facts: readonly unknown[],
) => ({
  stage: "changes" as const,
  rule,
  severity: change === "breaking" ? ("error" as const) : ("warning" as const),
  change,
  coordinate,
  hint: `${changeRules[rule].advice}; or approve it`,
  operations: [],
  fingerprint: fingerprint(rule, coordinate, facts),
});

function schemaFinding(base: ValidProject, head: ValidProject, change: SchemaChange): Told {
  const { rule, class: kind, coordinate, reached = [], message, before, after } = change;
  const [was, is] = [base, head].map(({ model }) => definitionAt(model.schema, coordinate));
  const isOfRest = rule === "binding-changed" && was === is;
  return {
    ...changeFinding(rule, kind, coordinate, [before, after]),
    ...(isOfRest && { hint: "the schema is as before: approve it, if REST calls the same value so now" }),
    ...{ coordinates: [coordinate, ...reached], message, places: schemaFrames(base, head, coordinate) },
  };
}

const summaryOf = ({
  rule,
  change = "breaking",
  message,
  coordinates = [],
  direction,
}: Told): SpecChange => ({
  ...{ rule, class: change, message, coordinates, operations: [] },
  ...(direction && { direction }),
});

/** The definition of a coordinate; if it is gone, its old definition and the type that held it. */
function schemaFrames(base: ValidProject, head: ValidProject, coordinate: string): Frame[] {
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
