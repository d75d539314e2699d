/** Resolves the facts about the bound operations that the REST client needs at run time. */
import { methodAndPath, type RestOperation } from "../../openapi/operation.ts";
import type { BoundField } from "../model.ts";
import type { CalledOperation } from "./rest-request.ts";

/** By method and path, in the order of the fields. */
export const calledOperations = (fields: readonly BoundField[]): Map<string, CalledOperation> =>
  new Map(fields.map(({ operation }) => [methodAndPath(operation), calledOperation(operation)]));

function calledOperation({
  id,
  product,
  permission,
  parameters,
  body,
  successes,
}: RestOperation): CalledOperation {
  const styled = parameters.filter(({ shape }) => shape.types.has("array") || shape.types.has("object"));
  const style = Object.fromEntries(
    styled.map((each) => [`${each.in}:${each.name}`, { style: each.style, explode: each.explode }]),
  );
  return {
    id,
    product,
    ...(permission !== undefined && { permission }),
    ...(styled.length > 0 && { style }),
    ...(body && body.media !== "application/json" && { media: body.media }),
    ...(successes.some(({ shape }) => !shape) && { empty: true }),
  };
}
