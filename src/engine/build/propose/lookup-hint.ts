/**
 * Tells of the link that an operation without keys may serve: where it gives a whole list, a link finds its object in it
 * (`in: ITEM`). No document says which property of which type is the key, so the link is told, and not proposed.
 */
import { findPagingSign } from "../bind/outputs/unpaged-list.ts";
import { isSafe, type RestOperation, showableResponses } from "../openapi/operation.ts";
import { declaredProperty, isOnly, type Shape } from "../openapi/shapes/shape.ts";
import { restText } from "../schema/directives.ts";
import { envelopeOf } from "./envelopes.ts";

export function lookupHint(operation: RestOperation): string | undefined {
  const [answer, ...others] = showableResponses(operation);
  const list = answer && others.length === 0 ? listIn(operation, answer.shape) : undefined;
  if (!list || !isSafe(operation.method) || takesIds(operation) || findPagingSign(operation))
    return undefined;
  const params = [{ name: "id", in: "item", from: "parent.<its key>" }] as const;
  const rest = restText({ operation: operation.id, params, result: list.place });
  return `${operation.id}: if this list is always whole, a link finds its object in it: ${rest}`;
}

/** The list of objects with an id that the answer is, or that it has by the name in the path: an order has items, too. */
function listIn({ path }: RestOperation, answer: Shape): { readonly place?: string } | undefined {
  if (hasIds(answer)) return {};
  const list = envelopeOf(answer) ?? declaredProperty(answer, path.split("/").at(-1) ?? "");
  return list && hasIds(list.shape) && !list.name.includes(".") ? { place: list.name } : undefined;
}

function hasIds(list: Shape): boolean {
  const id = isOnly(list, "array") && list.items ? declaredProperty(list.items, "id") : undefined;
  return id?.required === true && !id.shape.nullable && id.only === undefined;
}

/** A call for the keys of many parents is better than the whole list. */
const takesIds = ({ parameters }: RestOperation): boolean =>
  parameters.some(
    ({ name, shape }) => isOnly(shape, "array") && /(?:^|[^a-z])ids?(?:\[\])?$|I[dD]s?$/.test(name),
  );
