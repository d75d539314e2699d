/**
 * Declares, by `x-error-mapping` in an overlay, what clients see of errors. Recognises the properties for message, code, list and
 * field by names common among frameworks and vendors.
 */
import {
  type ErrorSchema,
  errorMapping,
  errorSchemas,
  isMapOfTexts,
  isTextShape,
  memberKinds,
  shownMembers,
} from "../bind/outputs/error-members.ts";
import { nodeKey, type RestDocument } from "../openapi/document.ts";
import { queryPaths } from "../openapi/overlays/json-path.ts";
import { readOperations } from "../openapi/read-operations.ts";
import { shapeAt } from "../openapi/shapes/read-shape.ts";
import { isOnly, responseProperties, type Shape } from "../openapi/shapes/shape.ts";
import { type OverlayAction, type OverlayAdvice, overlayText, quotedNames } from "./overlay-text.ts";

const memberNames = {
  message: [
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
  ],
  code: ["code", "error_code", "errorCode"],
  field: ["field", "param", "parameter", "pointer", "property", "propertyPath", "loc"],
};
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
/** Property names under which some APIs wrap the error. */
const envelopes = ["error", "fault"];

type Members = { [member in keyof typeof memberNames]?: string };
type Mapping = Members & { readonly list?: string; readonly item?: Members };

/** An error response without declared members, so that clients do not see its texts. `id`: operation and status. */
type UndeclaredError = ErrorSchema & { readonly id: string; readonly mapping: Mapping | undefined };

/**
 * Returns an overlay that declares the members with known names in each undeclared error schema. Also returns advice on what
 * clients do not see: other error schemas, and lists of undeclared texts. Skips schemas without properties. If the document has
 * an overlay, the advice has the actions instead.
 */
export function declareErrors(
  document: RestDocument,
  overlay: string,
  hasOverlay: boolean,
): { readonly text?: string; readonly advice: readonly OverlayAdvice[] } {
  const undeclared = undeclaredErrors(document);
  const alike = Map.groupBy(undeclared, ({ mapping }) => JSON.stringify(mapping));
  const actions = [...alike.values()].flatMap((errors): OverlayAction[] => {
    const [{ mapping } = {}] = errors;
    if (!mapping) return [];
    return targetsOf(document, errors).map((target) => ({ target, update: { [errorMapping]: mapping } }));
  });
  const selected = new Set(actions.flatMap(({ target }) => select(document, target)));
  const isSelected = ({ parts }: UndeclaredError): boolean =>
    parts.some((part) => selected.has(nodeKey(part)));
  const left = hasOverlay ? undeclared : undeclared.filter((each) => !isSelected(each));
  const isWritten = !hasOverlay && actions.length > 0;
  return {
    ...(isWritten && { text: overlayText("What clients see of the errors", actions) }),
    advice: [
      ...(left.length > 0
        ? [{ message: describeErrors(left, overlay), actions: hasOverlay ? actions : [] }]
        : []),
      ...undeclaredLists(document, undeclared),
    ],
  };
}

/**
 * Returns advice for a list such as `errors: { type: object }`. Many frameworks send texts by field name there, as in
 * `{ "name": ["can't be blank"] }`, but the document does not declare them.
 */
function undeclaredLists(document: RestDocument, errors: readonly UndeclaredError[]): OverlayAdvice[] {
  const found = errors.flatMap((each) => {
    const list = each.mapping?.list === undefined ? untypedList(shapeAt(document, each.node)) : undefined;
    return list === undefined ? [] : [{ ...each, list }];
  });
  const actions = [...Map.groupBy(found, ({ list }) => list)].flatMap(([list, alike]) =>
    targetsOf(document, alike).flatMap((target): OverlayAction[] => {
      const property = list.split(".").map((name) => `.properties${selector([name])}`);
      const texts = { type: "array", items: { type: "string" } };
      const at = target + property.join("");
      if (select(document, at).length === 0) return [];
      return [
        { target: at, update: { additionalProperties: texts } },
        { target, update: { [errorMapping]: { list } } },
      ];
    }),
  );
  const [first] = found;
  if (!first || actions.length === 0) return [];
  const message = `clients see no text of "${first.list}" of ${first.id}, because the document declares none: if REST sends lists of texts by field name there, declare them`;
  return [{ message, actions }];
}

/** The path of a property that is named like a list of errors, and is an object without declared properties. */
function untypedList(shape: Shape): string | undefined {
  const isUntyped = (list: Shape | undefined): boolean =>
    list !== undefined && isOnly(list, "object") && list.properties.size === 0 && list.entry === undefined;
  const paths = ["", ...envelopes].flatMap((envelope) => {
    const object = envelope === "" ? shape : shapeOf(shape, envelope);
    const name = object && listNames.find((each) => isUntyped(shapeOf(object, each)));
    return name === undefined ? [] : [[envelope, name].filter((step) => step !== "").join(".")];
  });
  return paths[0];
}

function undeclaredErrors(document: RestDocument): UndeclaredError[] {
  const all = [...readOperations(document).values()].flatMap((operation) =>
    errorSchemas(document, operation).map((each) => ({ ...each, id: `${operation.id} ${each.status}` })),
  );
  const isDeclared = (each: ErrorSchema): boolean =>
    each.mappings.length > 0 || shownMembers(each).length > 0;
  // declaring a part of a declared schema would change what clients see of the whole
  const kept = new Set(all.filter(isDeclared).flatMap(({ parts }) => parts.map(nodeKey)));
  return all.flatMap((each) => {
    const node = document.follow(each.node);
    if (!node || isDeclared(each) || responseProperties(each.shape).length === 0) return [];
    const mapping = kept.has(nodeKey(node)) ? undefined : mappingOf(shapeAt(document, node));
    return [{ ...each, node, mapping }];
  });
}

function describeErrors(errors: readonly UndeclaredError[], overlay: string): string {
  const { size } = new Set(errors.map(({ node }) => JSON.stringify(node.value)));
  const names = errors.flatMap(({ node: { path } }) =>
    path[0] === "components" && path.length === 3 ? [path[2]] : [],
  );
  const named = names.length > 0 ? ` (${[...new Set(names)].join(", ")})` : "";
  const schemas = size === 1 ? "the error schema" : `${size} error schemas${named}, such as that`;
  return `clients see no text of ${schemas} of ${errors[0]?.id}: declare the members by x-error-mapping in spec/${overlay} (node_modules/restbound/docs/reference/requests.md#errors-of-rest)`;
}

/** Returns JSONPath targets that select only the schemas of `errors`. No target selects a schema in another file. */
function targetsOf(document: RestDocument, errors: readonly UndeclaredError[]): string[] {
  const paths = new Map(errors.map(({ node }) => [nodeKey(node), node.path.map(String)]));
  const isExact = (target: string): boolean => {
    const selected = select(document, target);
    return selected.length > 0 && selected.every((key) => paths.has(key));
  };
  return [...Map.groupBy(paths.values(), ({ length }) => length).values()].flatMap((alike) =>
    targetsFor(alike, isExact),
  );
}

function select({ root }: RestDocument, target: string): string[] {
  try {
    return queryPaths(target, root.value).map(({ location }) => nodeKey({ file: root.file, path: location }));
  } catch {
    return []; // JSONPath cannot express names with control characters
  }
}

/**
 * Returns JSONPath targets for the paths. First tries wildcards for path and method. If these also select other nodes, tries the
 * names. Splits the paths by media type, then status and method, until each target is exact.
 */
function targetsFor(paths: readonly string[][], isExact: (target: string) => boolean): string[] {
  const [first = []] = paths;
  const varying = first.findLastIndex((step, index) => paths.some((path) => path[index] !== step));
  const named = first.map((_, index) => selector(paths.map((path) => path[index] ?? "")));
  const general = first[0] === "paths" ? named.with(1, ".*").with(2, ".*") : named;
  const found = [general, ...(varying <= 2 ? [named] : [])]
    .map((steps) => `$${steps.join("")}`)
    .find(isExact);
  if (found !== undefined) return [found];
  const parts = varying < 0 ? [] : Map.groupBy(paths, (path) => path[varying]).values();
  return [...parts].flatMap((part) => targetsFor(part, isExact));
}

/** A step of a JSONPath (RFC 9535 §2.5.1). */
const selector = (names: readonly string[]): string =>
  names.every((name) => name === names[0] && /^[a-z_]\w*$/i.test(name))
    ? `.${names[0]}`
    : `[${quotedNames(names)}]`;

function mappingOf(shape: Shape): Mapping | undefined {
  const inside = envelopes.flatMap((name) => {
    const found = shapeOf(shape, name);
    return found?.types.has("object") ? [[`${name}.`, found] as const] : [];
  });
  for (const [before, object] of [...inside, ["", shape] as const]) {
    const members = membersOf(object, before);
    const list = listNames.find((name) => itemOf(shapeOf(object, name)) !== undefined);
    if (members.message === undefined && list === undefined) continue;
    const item = itemOf(shapeOf(object, list ?? "")) ?? {};
    return {
      ...members,
      ...(list !== undefined && { list: before + list }),
      ...(Object.keys(item).length > 0 && { item }),
    };
  }
  return undefined;
}

/**
 * Returns the mapping for the items of an error list. The mapping is empty if the items are strings. Returns `undefined` if the
 * items are objects without a known message property.
 */
function itemOf(list: Shape | undefined): Members | undefined {
  if (!list) return undefined;
  const { items } = list;
  if (isMapOfTexts(list) || (items && isTextShape(items) && !items.types.has("object"))) return {};
  const members = items && membersOf(items);
  return members?.message === undefined ? undefined : members;
}

/** The members with known names, as paths. */
const membersOf = (object: Shape, before = ""): Members =>
  Object.fromEntries(
    Object.entries(memberNames).flatMap(([member, names]) => {
      const { fits } = memberKinds[member as keyof Members];
      const name = names.find((each) => {
        const found = shapeOf(object, each);
        return found !== undefined && fits(found);
      });
      return name === undefined ? [] : [[member, before + name]];
    }),
  );

const shapeOf = (shape: Shape, name: string): Shape | undefined =>
  responseProperties(shape).find((each) => each.name === name)?.shape;
