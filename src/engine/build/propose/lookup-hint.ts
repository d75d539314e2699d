/**
 * Suggests a link to an operation that accepts no ids. If the operation returns a complete list, a link can find an object in the
 * list (`in: ITEM`). The link is only a hint, because the document does not define which property is the key.
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
 * Finds the list of objects with ids in a response. The list is the response itself, the property that the response wraps, or the
 * property named like the last segment of the operation's path. Ignores other lists, such as the items of an order.
 */
function listIn(operation: RestOperation, answer: Shape): { readonly place?: string } | undefined {
  if (hasIds(answer)) return {};
  const list = envelopeOf(answer, operation) ?? declaredProperty(answer, resourceName(operation));
  return list && hasIds(list.shape) && !list.name.includes(".") ? { place: list.name } : undefined;
}

function hasIds(list: Shape): boolean {
  const id = isOnly(list, "array") && list.items ? declaredProperty(list.items, "id") : undefined;
  return id?.required === true && !id.shape.nullable && id.only === undefined;
}

/** Whether the operation accepts ids. A batched call by ids is better than a search in the complete list. */
const takesIds = ({ parameters }: RestOperation): boolean =>
  parameters.some(
    ({ name, shape }) => isOnly(shape, "array") && /(?:^|[^a-z])ids?(?:\[\])?$|I[dD]s?$/.test(name),
  );
