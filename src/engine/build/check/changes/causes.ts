/**
 * Finds the change of the OpenAPI document that caused a new proof error: in a node that the error names, in a node that the
 * error's coordinate depended on in the base, or in a response with the field's value. Errors with the same cause become one
 * finding.
 */
import { isDeepStrictEqual } from "node:util";
import { isRecord, membersOf } from "../../../shared/json-object.ts";
import { pageParts, pathOfPart } from "../../../shared/page.ts";
import { readsObject } from "../../bind/inputs/input-source.ts";
import type { Model } from "../../bind/model.ts";
import type { Diagnostic, NodeLocation, NodePath, Rule } from "../../diagnostic.ts";
import { childValue, nodeKey, type RestDocument, type RestNode } from "../../openapi/document.ts";
import { showableResponses } from "../../openapi/operation.ts";
import { propertiesOnPath } from "../../openapi/shapes/property-paths.ts";
import { includedSchemas } from "../../openapi/shapes/schema-cycles.ts";
import type { Shape } from "../../openapi/shapes/shape.ts";
import { fieldOf } from "../../schema/schema-coordinate.ts";

/** Rules about a missing part of the document: the new document has no node for it, so nodes of the base come first. */
const ofMissing = new Set<Rule>([
  "operation-unknown",
  "operation-id-duplicate",
  "argument-unused",
  "parameter-unknown",
  "result-missing",
  "property-missing",
  "connection-unfit",
]);

/** A rule that reports either a missing property, at its parent's node, or an unsuitable property. */
const ofMissingOrUnfit: Rule = "batch-match";

/** A changed node, and the path from it to the difference. */
export type Cause = { readonly node: NodeLocation; readonly below: NodePath };

export function causeOfError(
  base: Model,
  head: Model,
  { rule, coordinate, nodes: own = [], below = [] }: Diagnostic,
): Cause | undefined {
  const [renamed] = own.flatMap((node) => formerName(base.document, head.document, node) ?? []);
  if (renamed) return renamed;
  const dependencies = dependenciesOf(base, coordinate, rule);
  const gone = dependencies.flatMap((node) => topmostRemoved(head.document, node) ?? []);
  const isMissing =
    ofMissing.has(rule) ||
    (rule === ofMissingOrUnfit && gone.some((node) => own.some((each) => isInside(node, each))));
  const candidates = isMissing
    ? [...gone, ...dependencies, ...dependencies.flatMap(requiredBeside), ...own]
    : [...own, ...own.flatMap(requiredBeside), ...dependencies];
  const [node] = [...own, ...dependencies];
  const differing = (nodes: readonly NodeLocation[]) => firstDifference(base.document, head.document, nodes);
  return (
    differing(candidates) ??
    differing(own.flatMap((each) => composedOf(head.document, each))) ??
    differing(responseNodes(base, head, coordinate)) ??
    (node && { node, below })
  );
}

const isInside = (node: NodeLocation, outer: NodeLocation): boolean =>
  node.file === outer.file && outer.path.every((step, index) => node.path[index] === step);

export const causeKey = ({ node: { file, path }, below }: Cause): string =>
  nodeKey({ file, path: [...path, ...below] });

/** Returns the first removed node among those that the coordinate depended on in the base. */
export const removedNode = (base: Model, head: Model, coordinate: string): NodeLocation | undefined =>
  dependenciesOf(base, coordinate).flatMap((node) => topmostRemoved(head.document, node) ?? [])[0];

/** Compares the value's node, the `required` list beside it, and the schemas that the value's schema includes. */
export const causeOfChange = (
  base: RestDocument,
  head: RestDocument,
  node: NodeLocation,
): Cause | undefined =>
  firstDifference(base, head, [node, ...requiredBeside(node), ...composedOf(head, node)]);

function firstDifference(
  base: RestDocument,
  head: RestDocument,
  nodes: readonly NodeLocation[],
): Cause | undefined {
  for (const node of nodes) {
    const below = onlyDifference(base, head, node);
    if (below) return { node, below };
  }
  return undefined;
}

/** Returns the schemas that a schema includes by `$ref`, `allOf`, `oneOf` or `anyOf`. */
function composedOf(document: RestDocument, node: NodeLocation, seen = new Set<unknown>()): NodeLocation[] {
  const value = document.valueAt(node);
  if (!isRecord(value) || seen.has(value)) return [];
  seen.add(value);
  return [...includedSchemas(document, { ...node, value })].flatMap(({ node: each, closing }) => [
    ...(each === closing ? [] : [each]),
    ...composedOf(document, each, seen),
  ]);
}

/** Returns the location of the property's old name, if its object lost exactly one property and gained only this one. */
function formerName(
  base: RestDocument,
  head: RestDocument,
  { path, ...node }: NodeLocation,
): Cause | undefined {
  const holder = { ...node, path: path.slice(0, -1) };
  if (path.at(-2) !== "properties" || base.valueAt({ ...node, path }) !== undefined) return undefined;
  const [name, ...deeper] = onlyDifference(base, head, holder) ?? [];
  if (name === undefined || name === path.at(-1) || deeper.length > 0) return undefined;
  return { node: holder, below: [name] };
}

/** Returns the location of the `required` list beside the `properties` that contain this node. */
const requiredBeside = ({ path, ...node }: NodeLocation): NodeLocation[] =>
  path.at(-2) === "properties" ? [{ ...node, path: [...path.slice(0, -2), "required"] }] : [];

/**
 * Returns the outermost removed node on the path, or its parent if the removal left the parent empty. Returns `undefined` if the
 * whole path still exists.
 */
function topmostRemoved(document: RestDocument, { file, path }: NodeLocation): NodeLocation | undefined {
  const at = (length: number): NodeLocation => ({ file, path: path.slice(0, length) });
  const steps = path.findIndex((_, index) => document.valueAt(at(index + 1)) === undefined);
  if (steps < 0) return undefined;
  const holder = at(steps);
  const isEmptied = Object.keys(membersOf(document.valueAt(holder))).length === 0;
  return isEmptied && steps > 0 ? holder : at(steps + 1);
}

/**
 * Returns the path to the innermost value that contains all differences between the two versions of a node. The path may exist in
 * only one version. For a renamed key, the path ends with the old key. Returns `undefined` if the versions are equal.
 */
export function onlyDifference(
  base: RestDocument,
  head: RestDocument,
  node: NodeLocation,
): NodePath | undefined {
  let was = base.valueAt(node);
  let is = head.valueAt(node);
  if (isDeepStrictEqual(was, is)) return undefined;
  const below: (string | number)[] = [];
  while (isAlike(was, is)) {
    const keys = new Set([...Object.keys(was as object), ...Object.keys(is as object)]);
    const [key, ...others] = [...keys].filter(
      (each) => !isDeepStrictEqual(childValue(was, each), childValue(is, each)),
    );
    const [gone, ...manyGone] = [key, ...others].filter((each) => childValue(is, each ?? "") === undefined);
    // a renamed key: one key was removed and one added
    if (others.length === 1 && gone !== undefined && manyGone.length === 0) below.push(gone);
    if (key === undefined || others.length > 0) break;
    below.push(Array.isArray(was) ? Number(key) : key);
    was = childValue(was, key);
    is = childValue(is, key);
  }
  return below;
}

/** Whether the values are both objects, or both lists of the same length. */
const isAlike = (was: unknown, is: unknown): boolean =>
  (isRecord(was) && isRecord(is)) || (Array.isArray(was) && Array.isArray(is) && was.length === is.length);

/** Returns the nodes of the document that the coordinate's value is read from or sent to. */
function dependenciesOf(model: Model, coordinate: string, rule?: Rule): RestNode[] {
  const { fields, values } = model;
  const field = fields.get(fieldOf(coordinate));
  const sent = values.flatMap((use) => (use.coordinate === coordinate ? [use.node] : []));
  if (field?.kind === "plain") return along(backingShapes(model, field.type), field.path);
  if (field?.kind !== "bound") return sent;
  const { operation, inputs, result, connection, batch } = field;
  if (rule?.startsWith("operation-")) return [operation.node];
  const isArgument = coordinate !== field.coordinate;
  const sources = inputs.flatMap(({ source }) =>
    readsObject(source) && !isArgument
      ? along(backingShapes(model, source.kind === "parent" ? field.type : source.type), source.path)
      : [],
  );
  const inBody = connection ? pageParts.map((part) => pathOfPart(connection, part) ?? []) : [];
  const ofLastItem = connection?.next.by === "lastItem" ? connection.next.at : [];
  const answers = showableResponses(operation).map(({ shape }) => shape);
  const paths = [
    result,
    ...(batch ? [[...result, ...batch.match]] : []),
    ...inBody,
    [...(connection?.items ?? []), ...ofLastItem],
  ];
  const shown = isArgument ? [] : paths.flatMap((path) => along(answers, path));
  const [, argument] = /\((\w+):/.exec(coordinate) ?? [];
  const fed = inputs.flatMap(({ source, node }) =>
    !isArgument || (source.kind === "argument" && source.path[0] === argument) ? [node] : [],
  );
  const body = operation.body ? [operation.body.shape.node] : [];
  return [...sent, ...sources, ...shown, operation.node, ...fed, ...body];
}

const backingShapes = ({ backings }: Model, type: string): Shape[] =>
  (backings.get(type) ?? []).map(({ shape }) => shape);

const along = (shapes: readonly Shape[], path: readonly string[]): RestNode[] =>
  shapes.flatMap((shape) =>
    propertiesOnPath(shape, path, true)
      .map(({ node }) => node)
      .reverse(),
  );

/**
 * Returns the response nodes that contain the coordinate's value, innermost first. Response nodes show a change that leaves the
 * schemas below equal, such as a `$ref` to another schema or a new media type.
 */
function responseNodes(
  base: Model,
  head: Model,
  coordinate: string,
  seen = new Set<string>(),
): NodeLocation[] {
  const at = fieldOf(coordinate);
  if (seen.has(at)) return [];
  seen.add(at);
  const field = base.fields.get(at);
  if (field?.kind === "bound")
    return field.operation.successes.flatMap(({ node, media }): NodeLocation[] => {
      if (!node) return [];
      const content = { file: node.file, path: [...node.path, "content"] };
      const schema = { file: node.file, path: [...content.path, media ?? "", "schema"] };
      return [head.document.valueAt(schema) === undefined ? content : schema];
    });
  const returningFields = (base.backings.get(field?.type ?? "") ?? []).map(({ from }) => from);
  return returningFields.flatMap((from) => [
    ...(base.fields.get(from)?.kind === "plain" ? dependenciesOf(base, from) : []),
    ...responseNodes(base, head, from, seen),
  ]);
}
