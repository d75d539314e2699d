/** Finds the part of an operation's response that a proposed field returns. */
import { hasName, pagingNames } from "../bind/outputs/paging-names.ts";
import { type RestOperation, showableResponses } from "../openapi/operation.ts";
import { isMap } from "../openapi/shapes/map-entries.ts";
import {
  declaredProperty,
  isOnly,
  type Property,
  responseProperties,
  type Shape,
} from "../openapi/shapes/shape.ts";
import { normalizeName } from "../schema/graphql-names.ts";
import { isPagingProperty, searchPage } from "./pages.ts";
import { resourceName } from "./resource-paths.ts";

/** The SDL comment above a field whose operation documents several success responses. */
export function statusesComment(operation: RestOperation, type: string): string[] {
  const answers = showableResponses(operation);
  if (new Set(answers.map(({ shape }) => shape.identity.text)).size < 2) return [];
  const several = `REST's answers ${answers.map(({ status }) => status).join(" and ")}`;
  return [type === "JSON" ? `  # ${several} share no type.` : `  # Only what ${several} share.`];
}

/**
 * Returns the property that the response merely wraps: a list beside properties that are only about paging, or the only property
 * if it is a list or an object. For example, an order with `items` and a price is not a wrapper.
 */
export function envelopeOf(answer: Shape, operation: RestOperation): Property | undefined {
  const shown = [...answer.properties.values()].filter((each) => each.only !== "request");
  const items = declaredProperty(answer, "items");
  if (items?.shape.types.has("array")) return isPageOf(items, answer) ? items : undefined;
  const [only] = shown;
  const isEnvelope = only && shown.length === 1 && isPlainObject(answer) && !only.isUndeclared;
  if (isEnvelope) return !only.name.includes(".") && isComposed(only.shape) ? only : undefined;
  return namedList(answer, operation);
}

const isPageOf = (list: Property, answer: Shape): boolean =>
  responseProperties(answer).every((each) => each.name === list.name || isPagingProperty(each));

/** Returns the list of a page, if it is named `data` or similar, or after the resource (`alerts` of `/things/{id}/alerts`). */
function namedList(answer: Shape, operation: RestOperation): Property | undefined {
  const [list, ...others] = responseProperties(answer).filter(({ shape }) => shape.types.has("array"));
  if (!list || others.length > 0 || !isPlainObject(answer) || !isComposed(list.shape)) return undefined;
  const { name } = list;
  const isNamed =
    hasName(pagingNames.items, list) || normalizeName(name) === normalizeName(resourceName(operation));
  // clients need the paging properties of a response if no connection can read its pages
  const isPaged = searchPage(operation).obstacle !== undefined;
  return isNamed && !name.includes(".") && !isPaged && isPageOf(list, answer) ? list : undefined;
}

const isPlainObject = (shape: Shape): boolean =>
  isOnly(shape, "object") && !shape.nullable && !shape.variants;

const isComposed = (shape: Shape): boolean => {
  const { types, items, properties, variants } = shape;
  const holdsObjects = (types.has("array") && !!items) || properties.size > 0 || !!variants;
  return types.size === 1 && (holdsObjects || isMap(shape));
};
