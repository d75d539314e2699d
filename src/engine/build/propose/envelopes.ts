/** Finds the part of an operation's response that a proposed field returns. */
import { type RestOperation, showableResponses } from "../openapi/operation.ts";
import { isMap } from "../openapi/shapes/map-entries.ts";
import {
  declaredProperty,
  isOnly,
  type Property,
  responseProperties,
  type Shape,
} from "../openapi/shapes/shape.ts";
import { isPagingProperty } from "./pages.ts";

/** The SDL comment above a field whose operation documents several success responses. */
export function statusesComment(operation: RestOperation, type: string): string[] {
  const answers = showableResponses(operation);
  if (new Set(answers.map(({ shape }) => shape.identity.text)).size < 2) return [];
  const several = `REST's answers ${answers.map(({ status }) => status).join(" and ")}`;
  return [type === "JSON" ? `  # ${several} share no type.` : `  # Only what ${several} share.`];
}

/**
 * Returns the property that a response merely wraps. This is the list `items` if all other properties are about paging, or the
 * only property if it is a list or an object. An order with `items` and other properties is not a wrapper.
 */
export function envelopeOf(answer: Shape): Property | undefined {
  const shown = [...answer.properties.values()].filter((each) => each.only !== "request");
  const items = declaredProperty(answer, "items");
  const others = responseProperties(answer).filter((each) => each !== items);
  if (items?.shape.types.has("array")) return others.every(isPagingProperty) ? items : undefined;
  const [only] = shown;
  const isEnvelope = only && shown.length === 1 && isPlainObject(answer) && !only.isUndeclared;
  return isEnvelope && !only.name.includes(".") && isComposed(only.shape) ? only : undefined;
}

const isPlainObject = (shape: Shape): boolean =>
  isOnly(shape, "object") && !shape.nullable && !shape.variants;

const isComposed = (shape: Shape): boolean => {
  const { types, items, properties, variants } = shape;
  const holdsObjects = (types.has("array") && !!items) || properties.size > 0 || !!variants;
  return types.size === 1 && (holdsObjects || isMap(shape));
};
