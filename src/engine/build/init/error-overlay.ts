/**
 * Creates an overlay that declares which error members clients see (`x-error-mapping`), if all errors have the same schema.
 * Recognises the properties for message, code, list and field by the names that frameworks and vendors commonly use.
 */
import {
  type ErrorSchema,
  errorMapping,
  errorSchemas,
  isMapOfTexts,
  isTextShape,
  shownMembers,
} from "../bind/outputs/error-members.ts";
import type { RestDocument, RestNode } from "../openapi/document.ts";
import { readOperations } from "../openapi/read-operations.ts";
import { responseProperties, type Shape } from "../openapi/shapes/shape.ts";
import { overlayText, quotedNames } from "./overlay-text.ts";

const messageNames = [
  "message",
  "detail",
  "error_description",
  "error_message",
  "errorMessage",
  "msg",
  "description",
  "reason",
  "title",
  "error",
];
const codeNames = ["code", "error_code", "errorCode"];
const fieldNames = ["field", "param", "parameter", "pointer", "property", "propertyPath", "loc"];
const listNames = ["errors", "details", "violations", "causes", "field_errors", "fieldErrors", "detail"];
/** Some APIs wrap the error in a property of this name. */
const envelopes = ["error", "fault"];

type Mapping = {
  message?: string;
  code?: string;
  field?: string;
  list?: string;
  item?: { message?: string; code?: string; field?: string };
};

/**
 * Returns the overlay's text. `undefined` if the error schemas differ, if the document already has mappings, or if the schema
 * has neither a message nor a list with a known name.
 */
export function errorOverlay(document: RestDocument): string | undefined {
  const all = [...readOperations(document).values()].flatMap((each) => errorSchemas(document, each));
  const [first] = all;
  if (!first || all.some((each) => each.mappings.length > 0 || shownMembers(each).length > 0))
    return undefined;
  const nodes = all.flatMap(({ node }) => document.follow(node) ?? []);
  const texts = new Set(nodes.map(({ value }) => JSON.stringify(value)));
  const mapping = mappingOf(first);
  const targets = targetsOf(document, nodes);
  if (texts.size !== 1 || !mapping || !targets) return undefined;
  const actions = targets.map((target) => ({ target, update: { [errorMapping]: mapping } }));
  return overlayText("What clients see of the errors", actions);
}

/**
 * Returns advice if the document has error schemas without a mapping, because clients see no member of these errors. Skips
 * schemas without properties.
 */
export function undeclaredErrors(document: RestDocument, overlay: string): string | undefined {
  const undeclared = new Map<string, string>();
  for (const operation of readOperations(document).values())
    for (const each of errorSchemas(document, operation)) {
      if (shownMembers(each).length > 0 || responseProperties(each.shape).length === 0) continue;
      const schema = JSON.stringify(document.follow(each.node)?.value);
      if (!undeclared.has(schema)) undeclared.set(schema, `${operation.id} ${each.status}`);
    }
  const [first] = undeclared.values();
  if (first === undefined) return undefined;
  const schemas =
    undeclared.size === 1 ? "the error schema" : `${undeclared.size} error schemas, such as that`;
  return `clients see no text of ${schemas} of ${first}: declare the members by x-error-mapping in spec/${overlay} (node_modules/restbound/docs/reference/requests.md#errors-of-rest)`;
}

/**
 * JSONPath targets for the error schemas in components, shared responses and operations' responses. `undefined` if a schema is
 * anywhere else.
 */
function targetsOf({ root }: RestDocument, nodes: readonly RestNode[]): string[] | undefined {
  const places = nodes.map(({ path }) => path.map(String));
  const isBelow =
    (...start: string[]) =>
    (path: string[]) =>
      start.every((step, at) => path[at] === step);
  const components = places.filter(isBelow("components", "schemas"));
  const responses = places.filter(isBelow("components", "responses"));
  const inPaths = places.filter(isBelow("paths"));
  const isKnown =
    nodes.every(({ file }) => file === root.file) &&
    components.every(({ length }) => length === 3) &&
    responses.every((path) => path.length === 6 && path[5] === "schema") &&
    inPaths.every((path) => path.length === 8 && path[3] === "responses" && path[7] === "schema") &&
    components.length + responses.length + inPaths.length === places.length;
  if (!isKnown) return undefined;
  const names = (paths: string[][], step: number): string =>
    quotedNames(paths.map((path) => path[step] ?? ""));
  return [
    ...(components.length > 0 ? [`$.components.schemas[${names(components, 2)}]`] : []),
    ...(responses.length > 0
      ? [`$.components.responses[${names(responses, 2)}].content[${names(responses, 4)}].schema`]
      : []),
    ...(inPaths.length > 0
      ? [`$.paths.*.*.responses[${names(inPaths, 4)}].content[${names(inPaths, 6)}].schema`]
      : []),
  ];
}

function mappingOf({ shape }: ErrorSchema): Mapping | undefined {
  const inside = envelopes.flatMap((name) => {
    const found = shapeOf(shape, name);
    return found?.types.has("object") ? [[`${name}.`, found] as const] : [];
  });
  for (const [before, object] of [...inside, ["", shape] as const]) {
    const message = nameOf(object, messageNames, isTextShape);
    const list = listNames.find((name) => listOf(shapeOf(object, name)) !== undefined);
    if (message === undefined && list === undefined) continue;
    const code = nameOf(object, codeNames, ({ types }) => types.has("string") || types.has("integer"));
    const field = nameOf(object, fieldNames, isTextShape);
    const item = listOf(shapeOf(object, list ?? ""));
    return {
      ...(message !== undefined && { message: before + message }),
      ...(code !== undefined && { code: before + code }),
      ...(field !== undefined && { field: before + field }),
      ...(list !== undefined && { list: before + list }),
      ...(item && Object.keys(item).length > 0 && { item }),
    };
  }
  return undefined;
}

/**
 * The mapping for the items of an error list. Empty for a list of strings; `undefined` for objects without a known message
 * property.
 */
function listOf(list: Shape | undefined): Mapping["item"] | undefined {
  if (!list) return undefined;
  const { items } = list;
  if (isMapOfTexts(list) || (items && isTextShape(items) && !items.types.has("object"))) return {};
  if (!items) return undefined;
  const message = nameOf(items, messageNames, isTextShape);
  if (message === undefined) return undefined;
  const code = nameOf(items, codeNames, isTextShape);
  const field = nameOf(items, fieldNames, (each) => isTextShape(each) || each.types.has("array"));
  return { message, ...(code !== undefined && { code }), ...(field !== undefined && { field }) };
}

const shapeOf = (shape: Shape, name: string): Shape | undefined =>
  responseProperties(shape).find((each) => each.name === name)?.shape;

const nameOf = (
  object: Shape,
  names: readonly string[],
  fits: (shape: Shape) => boolean,
): string | undefined =>
  names.find((name) => {
    const found = shapeOf(object, name);
    return found !== undefined && fits(found);
  });
