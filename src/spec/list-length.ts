/** How long the list that a REST call answers may be: what its paging parameter is fed, or what REST says of it. */
import type { FieldNode } from "graphql";
import type { BoundField, Input } from "./model.ts";
import { inputKey, type Parameter } from "./operations.ts";

/** A number as it usually is, and as it may be at worst. */
export type Cost = { readonly typical: number; readonly worst: number };

/** A list that nothing bounds counts as this many. */
export const assumedLength: Cost = { typical: 10, worst: 100 };

export const times = (one: Cost, other: Cost): Cost => ({
  typical: one.typical * other.typical,
  worst: one.worst * other.worst,
});

/** `node` is the selection, whose own arguments say more than the defaults; `undefined`: REST has no paging parameter here. */
export function pageLength(field: BoundField, node?: FieldNode): Cost | undefined {
  const paging = field.operation.parameters.filter(isPaging);
  const lengths = paging.map((parameter) => lengthOf(field, parameter, node));
  return lengths.length > 0
    ? lengths.reduce((one, other) => ({
        typical: Math.min(one.typical, other.typical),
        worst: Math.min(one.worst, other.worst),
      }))
    : undefined;
}

/** An integer parameter with a bound above one: a page's length. A page's number or offset has none, or starts at 0 or 1. */
export const isPaging = ({ shape, in: location }: Pick<Parameter, "shape" | "in">): boolean =>
  location !== "path" &&
  shape.types.has("integer") &&
  (numberOf(shape.limits.maximum) ?? numberOf(shape.limits.default) ?? 0) > 1;

function lengthOf(field: BoundField, parameter: Parameter, node: FieldNode | undefined): Cost {
  const input = field.inputs.find((each) => inputKey(each) === inputKey(parameter));
  const { maximum, default: byDefault } = parameter.shape.limits;
  const known = input ? fedNumber(input, node) : undefined;
  if (known !== undefined) return { typical: known, worst: known };
  const usual = numberOf(byDefault);
  const free = input?.source.kind === "argument" && isGiven(input, node);
  if (usual !== undefined && !free) return { typical: usual, worst: usual };
  const worst = numberOf(maximum) ?? Math.max(usual ?? 0, assumedLength.worst);
  return { typical: usual ?? Math.min(worst, assumedLength.typical), worst };
}

function fedNumber({ source, argumentDefault }: Input, node: FieldNode | undefined): number | undefined {
  if (source.kind === "constant") return numberOf(source.value);
  if (source.kind !== "argument" || source.path.length > 1) return undefined;
  const given = node?.arguments?.find(({ name }) => name.value === source.path[0]);
  if (given?.value.kind === "IntValue") return Number(given.value.value);
  return given || !node ? undefined : numberOf(argumentDefault);
}

/** Whether the selection feeds it with a variable; without a selection it may be anything. */
const isGiven = ({ source }: Input, node: FieldNode | undefined): boolean =>
  !node ||
  node.arguments?.some(({ name }) => source.kind === "argument" && name.value === source.path[0]) === true;

const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
