/** Compares the parameters of one operation: presence, location, style, default and requiredness. */
import { inputKey, methodAndPath, type Parameter, type RestOperation } from "../../openapi/operation.ts";
import type { OperationReach, RestChange } from "./rest-change.ts";
import type { RestChangeCollector } from "./rest-change-collector.ts";
import type { ShapeComparison } from "./shape-comparison.ts";
import { placeName, type ShapeUse } from "./shape-pair.ts";

export function compareParameters(
  shapes: ShapeComparison,
  operation: RestOperation,
  now: RestOperation,
): void {
  const after = new Map(now.parameters.map((parameter) => [inputKey(parameter), parameter]));
  const before = new Set(operation.parameters.map(inputKey));
  for (const old of operation.parameters) {
    const other = after.get(inputKey(old));
    if (other) compareParameter(shapes, operation, old, other);
    else addRemoved(shapes.changes, operation, old, now);
  }
  for (const parameter of now.parameters)
    if (!before.has(inputKey(parameter))) addAdded(shapes.changes, operation, parameter);
}

function compareParameter(
  shapes: ShapeComparison,
  operation: RestOperation,
  old: Parameter,
  now: Parameter,
): void {
  const at = placeOf(operation, old);
  const { changes } = shapes;
  const common = { at, old: old.node, new: now.node };
  /** The fields of the operation that do not feed the parameter. */
  const unfed: OperationReach = { id: operation.id, unlessFed: inputKey(old) };
  compareStyle(changes, old, now, common);
  const [before, after] = [old.shape.limits.default ?? null, now.shape.limits.default ?? null];
  const [was, is] = [JSON.stringify(before), JSON.stringify(after)];
  if (was !== is)
    changes.add({
      ...common,
      rule: "rest-default-changed",
      class: "dangerous",
      message: `${at} defaults to ${is} now, it was ${was}`,
      before,
      after,
      below: ["schema", "default"],
      joins: [],
      operations: [unfed],
    });
  if (!old.required && now.required)
    changes.add({
      ...common,
      rule: "rest-required-changed",
      class: "breaking",
      direction: "request",
      message: `${at} is required now`,
      before: false,
      after: true,
      below: ["required"],
      joins: [old.node],
      operations: [unfed],
    });
  shapes.compare({ at, direction: "request", old: useOf(old), new: useOf(now) });
}

/** Style and `explode` matter for lists and objects only (OpenAPI 3.1 §4.8.12). */
function compareStyle(
  changes: RestChangeCollector,
  old: Parameter,
  now: Parameter,
  common: Pick<RestChange, "at" | "old" | "new">,
): void {
  const hasParts = old.shape.types.has("array") || old.shape.types.has("object");
  if (!hasParts || (old.style === now.style && old.explode === now.explode)) return;
  const [before, after] = [styleOf(old), styleOf(now)];
  changes.add({
    ...common,
    rule: "rest-style-changed",
    class: "breaking",
    message: `${common.at} is written as ${after} now, it was ${before}`,
    before,
    after,
    below: [old.style === now.style ? "explode" : "style"],
    joins: [old.node],
  });
}

function addRemoved(
  changes: RestChangeCollector,
  operation: RestOperation,
  old: Parameter,
  now: RestOperation,
): void {
  // a shared parameter has a new name, or only this operation no longer takes it
  const path = old.node.path.join("\n");
  const renamed = now.parameters.find(({ node }) => node.path.join("\n") === path);
  const at = renamed ? placeOf(operation, old) : ownPlaceOf(operation, old);
  const isShared = old.node.path[0] === "components" && !renamed;
  const common = {
    class: "breaking",
    at,
    old: isShared ? operation.node : old.node,
    joins: [old.node],
    ...(!renamed && { within: operation.id }),
  } as const;
  const moved = now.parameters.find(({ name, in: location }) => name === old.name && location !== old.in);
  if (moved) {
    const message = `${at} is a ${moved.in} parameter now`;
    const facts = { before: old.in, after: moved.in, new: moved.node, below: ["in"] };
    return changes.add({ rule: "rest-parameter-moved", message, ...facts, ...common });
  }
  const facts = {
    before: isShared ? inputKey(old) : "present",
    after: "absent",
    new: renamed?.node ?? now.node,
    below: [isShared ? "parameters" : "name"],
  };
  changes.add({ rule: "rest-parameter-removed", message: `${at} is gone`, ...facts, ...common });
}

function addAdded(changes: RestChangeCollector, operation: RestOperation, parameter: Parameter): void {
  const { required, node } = parameter;
  const at = placeOf(operation, parameter);
  changes.add({
    rule: "rest-parameter-added",
    class: required ? "breaking" : "safe",
    direction: "request",
    at,
    message: required ? `${at} is new and required` : `${at} is new`,
    before: "absent",
    after: required ? "required" : "optional",
    new: node,
    joins: [],
    ...(required && { operations: [{ id: operation.id }] }),
  });
}

const placeOf = (operation: RestOperation, parameter: Parameter): string =>
  placeName(parameter.node, ownPlaceOf(operation, parameter));

const ownPlaceOf = (operation: RestOperation, { in: location, name }: Parameter): string =>
  `${methodAndPath(operation)} ${location} "${name}"`;

const styleOf = ({ style, explode }: Parameter): string => `${style}${explode ? ", exploded" : ""}`;
/** Always required: `rest-required-changed` of a parameter depends on the fields that feed it, and is added above. */
const useOf = ({ node, shape }: Parameter): ShapeUse => ({ node, shape, required: true });
