/**
 * Hints at a possible link to an operation that accepts no keys: if the operation returns a complete list, a link can find its
 * object in that list (`in: ITEM`). The document does not define which property of which type is the key, so this is only a hint.
 */
import { findPagingSign } from "../bind/outputs/unpaged-list.ts";
import { isSafe, type RestOperation, showableResponses } from "../openapi/operation.ts";
import { declaredProperty, isOnly, type Shape } from "../openapi/shapes/shape.ts";
import { restText } from "../schema/directives.ts";
import { envelopeOf } from "./envelopes.ts";
import { resourceName } from "./resource-paths.ts";

export function lookupHint(operation: RestOperation): string | undefined {
  const [answer, ...others] = showableResponses(operation);
  const list = answer && others.length === 0 ? listIn(operation, answer.shape) : undefined;
  if (!list || !isSafe(operation.method) || takesIds(operation) || findPagingSign(operation))
    return undefined;
  const params = [{ name: "id", in: "item", from: "parent.<its key>" }] as const;
  const rest = restText({ operation: operation.id, params, result: list.place });
  return `${operation.id}: if this list is always complete, a link can find its object in it: ${rest}`;
}

/**
 * Finds the list of objects with ids: the response itself, the property that it wraps, or its property named like the last
 * segment of the path. Other lists, such as an order's items, are ignored.
 */
function listIn(operation: RestOperation, answer: Shape): { readonly place?: string } | undefined {
  if (hasIds(answer)) return {};
  const list = envelopeOf(answer) ?? declaredProperty(answer, resourceName(operation));
  return list && hasIds(list.shape) && !list.name.includes(".") ? { place: list.name } : undefined;
}

function hasIds(list: Shape): boolean {
  const id = isOnly(list, "array") && list.items ? declaredProperty(list.items, "id") : undefined;
  return id?.required === true && !id.shape.nullable && id.only === undefined;
}

/** Whether the operation accepts ids. If so, a batched call by key is preferable to searching the complete list. */
const takesIds = ({ parameters }: RestOperation): boolean =>
  parameters.some(
    ({ name, shape }) => isOnly(shape, "array") && /(?:^|[^a-z])ids?(?:\[\])?$|I[dD]s?$/.test(name),
  );
