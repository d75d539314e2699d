/** Estimates the number of items in a response, from the value or the limits of the page size parameter. */
import type { FieldNode } from "graphql";
import { inputKey, type Parameter } from "../openapi/operation.ts";
import { isNumeric } from "../openapi/shapes/shape.ts";
import type { BoundField, Input } from "./model.ts";
import { hasName, pagingNames } from "./outputs/paging-names.ts";

export type Estimate = { readonly typical: number; readonly worst: number };

/** The assumed number of items in a list without a page size parameter. */
export const assumedLength: Estimate = { typical: 10, worst: 100 };

export const multiplyEstimates = (one: Estimate, other: Estimate): Estimate => ({
  typical: one.typical * other.typical,
  worst: one.worst * other.worst,
});

/** Larger counts are printed as `more than 100000`, because they are products of guesses. */
export const mostCounted = 100_000;

export const countText = (count: number): string =>
  count > mostCounted ? `more than ${mostCounted}` : String(count);

/**
 * Returns the page size that the arguments of `node` set, or the default page size. Returns `undefined` if the REST operation has
 * no page size parameter.
 */
export function pageLength(field: BoundField, node?: FieldNode): Estimate | undefined {
  const paging = field.operation.parameters.filter(isPagingParameter);
  const lengths = paging.map((parameter) => lengthOf(field, parameter, node));
  return lengths.length > 0
    ? lengths.reduce((one, other) => ({
        typical: Math.min(one.typical, other.typical),
        worst: Math.min(one.worst, other.worst),
      }))
    : undefined;
}

/**
 * Recognizes a page size by a maximum or default above one, because page numbers and offsets have neither. A parameter of type
 * `number` must also have a usual name, such as `limit`.
 */
export const isPagingParameter = ({
  shape,
  in: location,
  name,
}: Pick<Parameter, "shape" | "in" | "name">): boolean =>
  location !== "path" &&
  (shape.types.has("integer") || (isNumeric(shape) && hasName(pagingNames.first, { name }))) &&
  (numberOf(shape.limits.maximum) ?? numberOf(shape.limits.default) ?? 0) > 1;

function lengthOf(field: BoundField, parameter: Parameter, node: FieldNode | undefined): Estimate {
  const input = field.inputs.find((each) => inputKey(each) === inputKey(parameter));
  const { maximum, default: byDefault } = parameter.shape.limits;
  const known = input ? fedLength(input, node) : undefined;
  if (known !== undefined) return { typical: known, worst: known };
  const usual = numberOf(byDefault);
  const free = input?.source.kind === "argument" && isSetByClient(input, node);
  if (usual !== undefined && !free) return { typical: usual, worst: usual };
  const worst = numberOf(maximum) ?? Math.max(usual ?? 0, assumedLength.worst);
  return { typical: usual ?? Math.min(worst, assumedLength.typical), worst };
}

function fedLength({ source, argumentDefault }: Input, node: FieldNode | undefined): number | undefined {
  if (source.kind === "constant") return numberOf(source.value);
  if (source.kind !== "argument" || source.path.length > 1) return undefined;
  const given = node?.arguments?.find(({ name }) => name.value === source.path[0]);
  if (given?.value.kind === "IntValue") return Number(given.value.value);
  return given || !node ? undefined : numberOf(argumentDefault);
}

/** Whether clients may set the page size by a variable; true without `node`. `fedLength` reads literals. */
const isSetByClient = ({ source }: Input, node: FieldNode | undefined): boolean =>
  !node ||
  node.arguments?.some(({ name }) => source.kind === "argument" && name.value === source.path[0]) === true;

const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
