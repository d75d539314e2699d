/**
 * Reports a parameter if its limits are stricter than those of the value sent in it. For example, `Account.id` may have 40
 * characters, but the parameter accepts only 36.
 */
import { getNamedType, isEnumType } from "graphql";
import { ajv } from "../../../shared/json-schema.ts";
import { limitSchema } from "../../openapi/shapes/limits.ts";
import { numberFormats, type Shape, typesFit } from "../../openapi/shapes/shape.ts";
import { type StricterLimit, stricterLimits } from "../../openapi/shapes/stricter-limits.ts";
import { nodeLocation } from "../../schema/directives.ts";
import { argumentsAbove } from "../enclosing-types.ts";
import type { Findings, FindingTarget } from "../findings.ts";
import { type BoundField, boundFields, type Input, type Model } from "../model.ts";
import { rejectionReason } from "./check-constants.ts";
import { serializedDefault } from "./check-input-types.ts";
import { formatSource, readsObject } from "./input-source.ts";

/** Called after all fields are bound, because it looks up the bindings of fields above. */
export function checkInheritedInputs(model: Model, findings: Findings): void {
  for (const link of boundFields(model))
    for (const input of link.inputs) {
      const { source, shape } = input;
      if (input.in === "item") continue; // the key is not sent
      const where = {
        coordinate: link.coordinate,
        schema: nodeLocation(link.definition.astNode),
        rest: input.node,
      };
      if (source.kind === "argumentAbove")
        checkArguments(model, findings, { where, link, input, argumentName: source.path[0] });
      else if (readsObject(source))
        addStricter(findings, where, formatSource(source), {
          from: source.shape.items ?? source.shape,
          to: shape.items ?? shape,
        });
    }
}

type FedFromAbove = {
  readonly where: FindingTarget;
  readonly link: BoundField;
  readonly input: Input;
  readonly argumentName: string;
};

/** Checks each argument to which `argsAbove` may refer. */
function checkArguments(
  { schema, fields }: Model,
  findings: Findings,
  { where, link, input, argumentName }: FedFromAbove,
): void {
  const { name, in: location, shape } = input;
  for (const { coordinate, argument } of argumentsAbove(schema, link.type, argumentName).fields) {
    // `matchInput` has checked enum values
    if (isEnumType(getNamedType(argument.type))) continue;
    const written = `${coordinate}(${argumentName}:)`;
    const sent = serializedDefault(argument.type, shape, argument.defaultValue);
    const problem = sent === undefined || sent === null ? undefined : rejectionReason(shape, sent);
    if (problem !== undefined)
      findings.add(
        "constant-invalid",
        where,
        `the default ${JSON.stringify(argument.defaultValue)} of ${written}, for ${location} "${name}", ${problem}`,
        "write a default that REST takes in both places",
      );
    const above = fields.get(coordinate);
    for (const { source, shape: from } of above?.kind === "bound" ? above.inputs : [])
      if (source.kind === "argument" && source.path.join(".") === argumentName)
        addStricter(findings, where, written, { from, to: shape });
  }
}

function addStricter(
  findings: Findings,
  where: FindingTarget,
  source: string,
  { from, to }: { readonly from: Shape; readonly to: Shape },
): void {
  for (const limit of refusals(from, to))
    findings.add(
      "limit-narrower",
      { ...where, facts: [source, limit.from, limit.to] },
      `${where.coordinate} takes ${source}, which has ${limit.from} in REST, but ${limit.to} here: other values are rejected`,
      "feed it from another value, correct the limit in an overlay, or approve it",
    );
}

/**
 * Returns the limits of `from` that allow values which `to` rejects. Ignores a limit that only `to` has, because the values may
 * satisfy it anyway.
 */
function refusals(from: Shape, to: Shape): { from: string; to: string }[] {
  const textFormat = (shape: Shape) => (numberFormats.has(shape.format ?? "") ? "" : shape.format);
  const format = textFormat(from);
  const wanted = textFormat(to);
  return [
    ...valuesRefused(from, to),
    ...stricterLimits(from, to).flatMap((each) =>
      each.from ? [{ from: limitText(each.from), to: limitText(each.to) }] : [],
    ),
    ...(format && wanted && format !== wanted
      ? [{ from: `format: ${JSON.stringify(format)}`, to: `format: ${JSON.stringify(wanted)}` }]
      : []),
  ];
}

const limitText = ({ keyword, value }: StricterLimit["to"]): string => `${keyword}: ${JSON.stringify(value)}`;

/** Checks each value of an enum against all limits of `to`. */
function valuesRefused(from: Shape, to: Shape): { from: string; to: string }[] {
  if (!from.values || !typesFit(from, to)) return [];
  const taken = ajv.compile({ ...limitSchema(to), ...(to.values && { enum: to.values }) });
  if (from.values.every((value) => taken(value))) return [];
  const limits = Object.entries({ ...(to.values && { enum: to.values }), ...limitSchema(to) });
  const texts = limits.map(([keyword, value]) => limitText({ keyword, value }));
  return [{ from: limitText({ keyword: "enum", value: from.values }), to: texts.join(", ") }];
}
