/**
 * Stage 4 of `check`: finds changes that break clients of the base spec. Most of these changes appear as new proof errors.
 * `graphql-schema-changes.ts` finds changes of the public schema. `fact-changes.ts` and `pair-values.ts` find REST changes after
 * which the mapping is still valid. Each change becomes one finding, at its cause, with every coordinate that it affects.
 */
import { type GraphQLSchema, type GraphQLType, getNamedType } from "graphql";
import type { Model } from "../../bind/model.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { describeNode } from "../../openapi/describe-node.ts";
import { nodeKey } from "../../openapi/document.ts";
import { isSameOperation, methodAndPath, type RestOperation } from "../../openapi/operation.ts";
import { lazy } from "../../openapi/shapes/lazy.ts";
import { fingerprint } from "../../project/fingerprint.ts";
import { isValid, type Project, type ValidProject } from "../../project/project.ts";
import { typesBelow } from "../../schema/object-types.ts";
import { coordinateLocation, definitionAt, elementAt, fieldOf } from "../../schema/schema-coordinate.ts";
import { frameAt } from "../frame.ts";
import { isUncheckedLimit } from "../proof-findings.ts";
import type { Finding, Frame, SpecChange } from "../report.ts";
import { bindAsBefore } from "./bind-as-before.ts";
import { onlyDifference, removedNode } from "./causes.ts";
import { type Difference, isDifference } from "./change.ts";
import { changeRules } from "./change-catalogue.ts";
import { factChanges } from "./fact-changes.ts";
import { schemaChanges } from "./graphql-schema-changes.ts";
import {
  eachOnce,
  findNewProofErrors,
  newProofErrorsAt,
  newProofErrorsFinding,
  type Proof,
} from "./new-proof-errors.ts";
import { valueChanges } from "./pair-values.ts";
import { restFrames } from "./rest-frames.ts";

type Changes = {
  readonly findings: readonly Finding[];
  /** Changes that clients cannot notice. The report lists them separately from the findings. */
  readonly safe: readonly SpecChange[];
  /** The proof errors of `head` that are already in `findings`. */
  readonly reported: ReadonlySet<Diagnostic>;
};

/** Returns no changes if the schema of `head` is invalid; other findings report its errors. */
export function changesSince(base: ValidProject, head: Project, today: string): Changes {
  if (!isValid(head)) return { findings: [], safe: [], reported: new Set() };
  const { model, diagnostics } = bindAsBefore(base, head);
  const all = [
    ...factChanges(base.model, model),
    ...valueChanges(base.model, model),
    ...schemaChanges(base.model, model, today),
  ];
  const known = new Set(head.diagnostics.map(diagnosticKey));
  const hidden = diagnostics.filter((each) => !known.has(diagnosticKey(each)));
  const proof: Proof = { model, diagnostics: [...head.diagnostics, ...hidden] };
  const proofErrors = findNewProofErrors(base, proof);
  const isCovered = coveredByErrors(base.model, proof);
  const limits = new Set(
    [...proofErrors.values()].flatMap(({ errors }) =>
      errors.flatMap((error) => (isUncheckedLimit(error) ? `${error.coordinate} ${error.below?.[0]}` : [])),
    ),
  );
  const isCoveredByLimit = ({ rule, coordinate, rest }: Difference): boolean =>
    rule === "rest-limit-changed" && limits.has(`${coordinate} ${rest?.below?.[0]}`);
  const own: Difference[] = [];
  for (const change of all.filter(isDifference)) {
    if (isCovered(change) || isCoveredByLimit(change)) continue;
    const { rule, coordinate, rest, place = "" } = change;
    const found =
      (rest && proofErrors.get(nodeKey(rest.old))) ??
      proofErrors.get(place) ??
      // moving a list into a page object also causes proof errors at the list's old path
      (rule === "rest-list-paged" ? newProofErrorsAt(proofErrors, coordinate) : undefined);
    (found?.changes ?? own).push(change);
  }
  return {
    findings: [
      ...[...proofErrors.values()].map((each) => newProofErrorsFinding(base, head, each)),
      ...grouped(base.model, own).map((group) => changeFinding(base, head, group)),
    ],
    safe: all.flatMap(({ rule, class: kind, message, coordinate, reached = [] }) =>
      kind === "safe"
        ? [{ rule, class: kind, message, coordinates: [coordinate, ...reached], operations: [] }]
        : [],
    ),
    reported: new Set([...proofErrors.values()].flatMap((each) => each.errors)),
  };
}

const diagnosticKey = ({ rule, coordinate, message }: Diagnostic): string =>
  JSON.stringify([rule, coordinate, message]);

/**
 * Returns a predicate for changes that another finding covers: a proof error at the same coordinate, or `binding-changed` for a
 * field that is now bound to another operation or property.
 */
function coveredByErrors(base: Model, { model, diagnostics }: Proof): (change: Difference) => boolean {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const broken = new Set(errors.map(({ coordinate }) => coordinate));
  const brokenFields = new Set(errors.map(({ coordinate }) => fieldOf(coordinate)));
  return ({ rule, coordinate, direction }) => {
    if (rule === "binding-changed") return brokenFields.has(coordinate);
    if (direction === undefined) return rule === "rest-answer-removed" && broken.has(coordinate);
    return broken.has(coordinate) || isRebound(base, model, coordinate);
  };
}

function isRebound(base: Model, head: Model, coordinate: string): boolean {
  const old = base.fields.get(fieldOf(coordinate));
  const now = head.fields.get(fieldOf(coordinate));
  if (old?.kind === "bound" && now?.kind === "bound") return !isSameOperation(old.operation, now.operation);
  return (
    old?.kind !== now?.kind ||
    (old?.kind === "plain" && now?.kind === "plain" && `${old.path}` !== `${now.path}`)
  );
}

type Group = readonly [Difference, ...Difference[]];

/**
 * Groups changes with the same rule and cause, in schema order. Groups a `binding-changed` with the `rest-list-paged` of the same
 * field. Groups a removed type with the removed field or argument that used it.
 */
function grouped({ fields, schema }: Model, all: readonly Difference[]): Group[] {
  const paged = new Map(all.map((each) => [each.rule === "rest-list-paged" && each.coordinate, each]));
  const reaching = lazy(() =>
    all
      .filter(({ rule }) => leadingRules.has(rule))
      .map((each) => ({ each, types: typesReachedBy(schema, each) })),
  );
  const leadOf = (each: Difference): Difference | undefined =>
    each.rule === "binding-changed"
      ? paged.get(each.coordinate)
      : each.rule === "sdl-type-removed"
        ? reaching().find(({ types }) => types.has(each.coordinate))?.each
        : undefined;
  const keyOf = (each: Difference): string => {
    const lead = leadOf(each) ?? each;
    return JSON.stringify([lead.rule, lead.class, lead.cause]);
  };
  const order = new Map([...fields.keys()].map((coordinate, index) => [coordinate, index]));
  // a change with its cause elsewhere comes last, so that the group is reported at the cause
  const orderOf = ({ coordinate, direction, place, rest }: Difference): number =>
    (order.get(fieldOf(coordinate)) ?? order.size) +
    (direction && rest && place?.startsWith(nodeKey(rest.new)) === false ? order.size + 1 : 0);
  const inOrder = (one: Difference, other: Difference): number =>
    orderOf(one) - orderOf(other) || (one.coordinate < other.coordinate ? -1 : 1);
  return [...Map.groupBy(all, keyOf).values()].map((group) => group.toSorted(inOrder) as never);
}

/** Rules for changes that can make types unreachable. */
const leadingRules = new Set<string>([
  "sdl-field-removed",
  "sdl-field-changed-kind",
  "sdl-arg-removed",
  "sdl-arg-changed-kind",
]);

function typesReachedBy(schema: GraphQLSchema, { coordinate }: Difference): ReadonlySet<string> {
  const element = elementAt(schema, coordinate);
  if (!element) return new Set();
  const args = "args" in element && Array.isArray(element.args) ? element.args : [];
  return new Set(
    [
      ...typesBelow(
        schema,
        [element, ...args].map(({ type }: { readonly type: GraphQLType }) => getNamedType(type)),
      ),
    ].map(({ name }) => name),
  );
}

/** Advice for a removed field if its REST source was removed too. */
function goneHint(
  base: ValidProject,
  head: ValidProject,
  { rule, coordinate }: Difference,
): string | undefined {
  if (rule !== "sdl-field-removed" && rule !== "sdl-arg-removed") return undefined;
  const field = base.model.fields.get(coordinate);
  const node = removedNode(base.model, head.model, coordinate);
  const gone =
    field?.kind === "bound"
      ? operationIfGone(field.operation, head.model)
      : node && describeNode(base.model.document, node);
  return gone && `REST no longer has ${gone}, so it cannot stay: tell the clients, and approve it`;
}

const operationIfGone = (operation: RestOperation, { operations }: Model): string | undefined =>
  operations.versionOf(operation) ? undefined : methodAndPath(operation);

function changeFinding(base: ValidProject, head: ValidProject, group: Group): Finding {
  const [{ rule, class: change, coordinate, direction, message, cause, facts, rest }] = group;
  const { below = rest && onlyDifference(base.model.document, head.model.document, rest.old) } = rest ?? {};
  const others = eachOnce(group).slice(1);
  const also = others.every((each) => each.message === message) ? [] : others;
  const paths = new Set(rule === "rest-operation-moved" ? group.map((each) => each.facts[1]) : []);
  const isMove = paths.size > 1;
  const was = definitionAt(base.model.schema, coordinate);
  const is = definitionAt(head.model.schema, coordinate);
  const isOfRest = rule === "binding-changed" && was === is;
  return {
    stage: "changes",
    rule,
    severity: change === "breaking" ? "error" : "warning",
    change,
    coordinate,
    coordinates: [...new Set(group.flatMap((each) => [each.coordinate, ...(each.reached ?? [])]))],
    ...(group.every((each) => each.direction === direction) && direction && { direction }),
    message: isMove
      ? `${message}, and ${paths.size - 1} more ${paths.size > 2 ? "paths" : "path"} moved from ${cause}`
      : message,
    ...(also.length > 0 && !isMove && { also }),
    hint: isOfRest
      ? "the schema is unchanged: approve it if REST has only renamed the value"
      : (goneHint(base, head, group[0]) ?? `${changeRules[rule].advice}; or approve it`),
    places: [
      ...schemaFrames(base, head, coordinate),
      ...(rest ? restFrames(base, head, { ...rest, below: below ?? [] }) : []),
    ],
    operations: [],
    fingerprint: fingerprint(rule, coordinate, isMove ? [cause, ...paths] : facts),
  };
}

/**
 * Returns the frame of the coordinate's definition. If the definition was removed, returns the frames of the old definition and
 * of the type or field that contained it.
 */
function schemaFrames(base: ValidProject, head: ValidProject, coordinate: string): Frame[] {
  const now = coordinateLocation(head.model.schema, coordinate);
  if (now) return [frameAt(head, "schema", now)];
  const [type = ""] = coordinate.split(/[.(]/);
  const holder =
    coordinateLocation(head.model.schema, fieldOf(coordinate)) ?? coordinateLocation(head.model.schema, type);
  const was = coordinateLocation(base.model.schema, coordinate);
  return [
    ...(holder ? [frameAt(head, "schema", holder)] : []),
    ...(was ? [frameAt(base, "base schema", was)] : []),
  ];
}
