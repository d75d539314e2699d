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
import { type OverlayAction, type OverlayAdvice, overlayText, quotedNames } from "./overlay-text.ts";

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
const listNames = [
  "errors",
  "details",
  "error_details",
  "errorDetails",
  "violations",
  "causes",
  "field_errors",
  "fieldErrors",
  "detail",
];
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
  if (texts.size !== 1 || !mapping) return undefined;
  const actions = mappingActions(document, nodes, mapping);
  if (actions.length === 0) return undefined;
  return overlayText("What clients see of the errors", actions);
}

/**
 * Returns advice if the document has error schemas without a mapping, because clients see no member of these errors. Skips
 * schemas without properties. The actions declare the members with known names.
 */
export function undeclaredErrors(document: RestDocument, overlay: string): OverlayAdvice | undefined {
  const undeclared = new Map<string, { first: string; mapping: Mapping | undefined; nodes: RestNode[] }>();
  for (const operation of readOperations(document).values())
    for (const each of errorSchemas(document, operation)) {
      if (shownMembers(each).length > 0 || responseProperties(each.shape).length === 0) continue;
      const node = document.follow(each.node);
      const schema = JSON.stringify(node?.value);
      const known = undeclared.get(schema);
      const nodes = [...(known?.nodes ?? []), ...(node ? [node] : [])];
      const first = known?.first ?? `${operation.id} ${each.status}`;
      undeclared.set(schema, { first, mapping: known ? known.mapping : mappingOf(each), nodes });
    }
  const all = [...undeclared.values()];
  const [{ first } = {}] = all;
  if (first === undefined) return undefined;
  const names = all.flatMap(({ nodes: [node] }) =>
    node?.path[0] === "components" && node.path.length === 3 ? [String(node.path[2])] : [],
  );
  const named = names.length > 0 && all.length > 1 ? ` (${names.join(", ")})` : "";
  const schemas = all.length === 1 ? "the error schema" : `${all.length} error schemas${named}, such as that`;
  return {
    message: `clients see no text of ${schemas} of ${first}: declare the members by x-error-mapping in spec/${overlay} (node_modules/restbound/docs/reference/requests.md#errors-of-rest)`,
    actions: all.flatMap(({ mapping, nodes }) => (mapping ? mappingActions(document, nodes, mapping) : [])),
  };
}

/** Returns the actions that declare the mapping in each of the schemas. Empty if they have no JSONPath target. */
const mappingActions = (
  document: RestDocument,
  nodes: readonly RestNode[],
  mapping: Mapping,
): OverlayAction[] =>
  (targetsOf(document, nodes) ?? []).map((target) => ({ target, update: { [errorMapping]: mapping } }));

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
