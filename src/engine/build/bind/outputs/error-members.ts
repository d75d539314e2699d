/**
 * Determines which members of a 4xx response body clients see. `x-error-mapping` names them. Without it, they are `title`,
 * `detail` and `errors` of problem details (RFC 9457). Clients never see bodies of 401, 403 and 407, which may repeat a
 * credential.
 */
import { isRecord, membersOf } from "../../../shared/json-object.ts";
import { includesJson, isJson } from "../../../shared/media-type.ts";
import type { ErrorMembers } from "../../../shared/operation.ts";
import { own } from "../../../shared/own.ts";
import type { NodePath } from "../../diagnostic.ts";
import { type RestDocument, type RestNode, refOf } from "../../openapi/document.ts";
import type { RestOperation } from "../../openapi/operation.ts";
import { shapeAt } from "../../openapi/shapes/read-shape.ts";
import {
  declaredProperty,
  describeShape,
  isOnly,
  nodeBelow,
  responseProperties,
  type Shape,
} from "../../openapi/shapes/shape.ts";
import { nodeLocation } from "../../schema/directives.ts";
import type { Findings } from "../findings.ts";
import { boundFields, type Model } from "../model.ts";

export const errorMapping = "x-error-mapping";

/** Schema of the error bodies with this status and media type. */
export type ErrorSchema = {
  readonly status: string;
  readonly media: string;
  readonly node: RestNode;
  readonly shape: Shape;
  /** Each member of a `oneOf` may have its own `x-error-mapping`. */
  readonly mappings: readonly Mapping[];
  /** The schemas that were searched for an `x-error-mapping`, including those without one. */
  readonly parts: readonly RestNode[];
};

/** An `x-error-mapping` and the schema in which its paths start. */
type Mapping = { readonly node: RestNode; readonly shape: Shape };

type Members = Omit<ErrorMembers, "statuses" | "media">;

const credentialStatuses: ReadonlySet<string> = new Set(["401", "403", "407"]);

/** Returns the schemas of the JSON error bodies that clients may see. */
export const errorSchemas = (document: RestDocument, { responses }: RestOperation): ErrorSchema[] =>
  responses.flatMap(({ status, node, content }) => {
    if (!/^(?:4(?:\d\d|XX)|default)$/.test(status) || credentialStatuses.has(status)) return [];
    return content.flatMap((media): ErrorSchema[] => {
      const entry = document.child(document.child(node, "content"), media);
      if (!entry || !(isJson(media) || includesJson(media))) return [];
      const hasSchema = isRecord(entry.value) && "schema" in entry.value;
      const schema = hasSchema ? nodeBelow(entry, "schema") : { ...entry, value: {} };
      const parts = new Map<unknown, RestNode>();
      const mappings = mappingsAt(document, schema, parts);
      const shape = shapeAt(document, schema);
      return [{ status, media, node: schema, shape, mappings, parts: [...parts.values()] }];
    });
  });

/** Searches for `x-error-mapping` in the schema, or else in the target of its `$ref` and in its `allOf`, `oneOf` and `anyOf`. */
function mappingsAt(document: RestDocument, node: RestNode, passed: Map<unknown, RestNode>): Mapping[] {
  const { value } = node;
  if (!isRecord(value) || passed.has(value)) return [];
  passed.set(value, node);
  if (errorMapping in value) return [{ node: nodeBelow(node, errorMapping), shape: shapeAt(document, node) }];
  const target = refOf(value) === undefined ? undefined : document.refTarget(node);
  if (target) return mappingsAt(document, target, passed);
  return ["allOf", "oneOf", "anyOf"].flatMap((keyword) => {
    const parts = own(value, keyword);
    return (Array.isArray(parts) ? [...parts.keys()] : []).flatMap((index) =>
      mappingsAt(document, nodeBelow(node, keyword, index), passed),
    );
  });
}

/** Returns the members that clients see. Statuses with the same members share an entry. */
export function errorMembers(document: RestDocument, operation: RestOperation): ErrorMembers[] {
  const found = errorSchemas(document, operation).flatMap((schema) =>
    shownMembers(schema).map((members) => ({ media: schema.media, ...members, status: schema.status })),
  );
  const alike = Map.groupBy(found, ({ status: _, ...members }) => JSON.stringify(members));
  return [...alike.values()].map(([first, ...others]) => {
    const { status, ...members } = first as (typeof found)[number];
    return { statuses: [status, ...others.map((each) => each.status)], ...members };
  });
}

/** Returns the paths of all members, such as `detail` or `errors.message` for a member of list items. */
export const memberPaths = ({
  statuses: _,
  media: _media,
  isMap: _isMap,
  list,
  item,
  ...own
}: ErrorMembers) => [
  ...Object.values(own),
  ...(list === undefined ? [] : item ? Object.values(item).map((path) => `${list}.${path}`) : [list]),
];

/** Keeps only the members that `errors` in `spec/credentials.yaml` lists, because other details may belong to another tenant. */
export const listedMembers = (all: readonly ErrorMembers[], listed: ReadonlySet<string>): ErrorMembers[] =>
  all.flatMap(({ statuses, media, list, item, isMap, ...own }): ErrorMembers[] => {
    const shown = Object.entries(own).filter(([, path]) => listed.has(path));
    const ofItem = Object.entries(item ?? {}).filter(([, path]) => listed.has(`${list}.${path}`));
    const hasList = list !== undefined && (item ? ofItem.length > 0 : listed.has(list));
    if (shown.length === 0 && !hasList) return [];
    return [
      {
        statuses,
        media,
        ...Object.fromEntries(shown),
        ...(hasList && { list, ...(item && { item: Object.fromEntries(ofItem) }), ...(isMap && { isMap }) }),
      },
    ];
  });

/** An `x-error-mapping` replaces the members of problem details. */
export const shownMembers = ({ media, shape, mappings }: ErrorSchema): Members[] =>
  (mappings.length > 0
    ? mappings.map((mapping) => new MappingReader(mapping).members)
    : isProblem(media)
      ? [problemMembers(shape)]
      : []
  ).filter((members) => Object.keys(members).length > 0);

/** Returns a text such as `error.message, error.errors`. */
export const describeMembers = (schema: ErrorSchema): string =>
  shownMembers(schema)
    .map(({ title, message, code, field, list, item = {} }) => {
      const items = Object.values(item).join(", ");
      const listed = list !== undefined && items !== "" ? `${list} (${items})` : list;
      return [title, message, code, field, listed].filter((path) => path !== undefined).join(", ");
    })
    .join(" or ");

const isProblem = (media: string): boolean => /^application\/problem\+json\s*(?:;|$)/i.test(media);

/** Returns the members of RFC 9457 that the schema declares; for a schema without properties, `title` and `detail`. */
function problemMembers(shape: Shape): Members {
  const { properties, hasMembers, isClosed } = shape;
  if (properties.size === 0 && !hasMembers && !isClosed) return { title: "title", message: "detail" };
  const title = memberOf(shape, "title");
  const detail = memberOf(shape, "detail");
  const errors = memberOf(shape, "errors");
  return {
    ...(title && isTextShape(title) && { title: "title" }),
    ...(detail && isTextShape(detail) && { message: "detail" }),
    ...(errors && problemErrors(errors)),
  };
}

/** `errors` may be a list of objects with `detail` and `pointer`, as in RFC 9457 §3, or a list or a map of strings. */
function problemErrors(errors: Shape): Members {
  const list = "errors";
  if (isMapOfTexts(errors)) return { list, isMap: true };
  const { items } = errors;
  if (!items) return {};
  if (isTextShape(items)) return { list };
  const detail = memberOf(items, "detail");
  const pointer = memberOf(items, "pointer");
  if (!detail || !isTextShape(detail)) return {};
  return { list, item: { message: "detail", ...(pointer && isTextShape(pointer) && { field: "pointer" }) } };
}

/** Returns the schema of a response property, from the first alternative that declares it. */
const memberOf = (shape: Shape, name: string): Shape | undefined =>
  [shape, ...(shape.members ?? [])]
    .flatMap((each) => declaredProperty(each, name) ?? [])
    .find(({ only }) => only !== "request")?.shape;

/** Whether the value is a string that people can read, unlike a URL. */
export const isTextShape = ({ types, format = "" }: Shape): boolean =>
  types.has("string") && !/^(?:uri|iri|url)\b/.test(format);
const isCode = ({ types }: Shape): boolean =>
  types.has("string") || types.has("integer") || types.has("number");
const isField = ({ types, items }: Shape): boolean =>
  types.has("string") || (types.has("array") && items !== undefined && isCode(items));
export const isMapOfTexts = ({ entry }: Shape): boolean => {
  const value = entry && memberOf(entry, "value");
  return (
    value !== undefined && (isTextShape(value) || (value.items !== undefined && isTextShape(value.items)))
  );
};

/** The members that `x-error-mapping` names, with their possible shapes. */
export const memberKinds = {
  message: { fits: isTextShape, wanted: "a text" },
  code: { fits: isCode, wanted: "a string or a number" },
  field: { fits: isField, wanted: "a string, or a list of path steps" },
} as const;
type Kind = keyof typeof memberKinds;

const isKind = (name: string): name is Kind => Object.hasOwn(memberKinds, name);

/** A mistake in an `x-error-mapping`. */
type Fault = {
  readonly below: NodePath;
  /** The schema that contradicts the mapping. */
  readonly schema: RestNode;
  readonly message: string;
  readonly hint: string;
};

/** Reads an `x-error-mapping` and checks it against its schema. */
class MappingReader {
  readonly faults: Fault[] = [];
  readonly members: Members;

  constructor({ node, shape }: Mapping) {
    const { list, item, ...others } = membersOf(node.value);
    this.members = { ...this.#paths(shape, others, []), ...this.#list(shape, list, item) };
    if (Object.keys(this.members).length === 0 && this.faults.length === 0)
      this.#fault([], shape, "does not name a member", `write { message: "…" } with ${namesOf(shape)}`);
  }

  #fault(below: NodePath, { node: schema }: Shape, message: string, hint: string): undefined {
    this.faults.push({ below, schema, message, hint });
  }

  #paths(shape: Shape, given: Readonly<Record<string, unknown>>, below: NodePath): Pick<Members, Kind> {
    return Object.fromEntries(
      Object.entries(given).flatMap(([name, path]) => {
        const at = [...below, name];
        if (!isKind(name)) {
          const known = [...Object.keys(memberKinds), ...(below.length === 0 ? ["list", "item"] : [])];
          this.#fault(at, shape, `has no member "${name}"`, `write ${known.join(", ")}`);
          return [];
        }
        const found = this.#follow(shape, path, at);
        if (!found) return [];
        const { fits, wanted } = memberKinds[name];
        if (fits(found)) return [[name, path]];
        this.#fault(
          at,
          found,
          `names "${path}" as the ${name}, which is ${wanted}, but REST sends ${describeShape(found)}`,
          name === "message" && found.items ? `name it as the list: { list: "${path}" }` : `name ${wanted}`,
        );
        return [];
      }),
    );
  }

  #list(shape: Shape, list: unknown, item: unknown): Members {
    if (list === undefined) {
      if (item !== undefined)
        this.#fault(["item"], shape, "has `item`, but not `list`", 'name the list: { list: "…" }');
      return {};
    }
    const found = this.#follow(shape, list, ["list"]);
    if (!found) return {};
    const path = { list: String(list) };
    const { items } = found;
    const isPlain =
      isMapOfTexts(found) || (items !== undefined && isTextShape(items) && !items.types.has("object"));
    if (isPlain && item !== undefined) {
      this.#fault(["item"], items ?? found, `has \`item\`, but "${list}" contains strings`, "remove `item`");
      return {};
    }
    if (isMapOfTexts(found)) return { ...path, isMap: true };
    if (isPlain) return path;
    if (!items) {
      const message = `names "${list}" as the list, but REST sends ${describeShape(found)}`;
      this.#fault(
        ["list"],
        found,
        message,
        isOnly(found, "object") && responseProperties(found).length === 0
          ? "declare its values in an overlay, `additionalProperties: { type: array, items: { type: string } }` for a map of names to texts"
          : "name a list, or a map of strings",
      );
      return {};
    }
    const members = isRecord(item) ? this.#paths(items, item, ["item"]) : {};
    if (Object.keys(members).length > 0) return { ...path, item: members };
    if (!isRecord(item) || Object.keys(item).length === 0)
      this.#fault(
        ["list"],
        items,
        `does not name the message in the items of "${list}"`,
        `write item: { message: "…" } with ${namesOf(items)}`,
      );
    return {};
  }

  /** Returns `undefined` after adding a fault for a missing property. */
  #follow(from: Shape, path: unknown, below: NodePath): Shape | undefined {
    if (typeof path !== "string" || path === "")
      return this.#fault(
        below,
        from,
        "has a path that is not a string",
        'write a path such as "error.message"',
      );
    let shape = from;
    for (const [index, step] of path.split(".").entries()) {
      const next = memberOf(shape, step);
      if (!next) {
        const owner = index === 0 ? "the error" : `"${path.split(".").slice(0, index).join(".")}"`;
        const message = `names "${path}", but ${owner} has no property "${step}"`;
        return this.#fault(below, shape, message, `name one of ${namesOf(shape)}`);
      }
      shape = next;
    }
    return shape;
  }
}

const namesOf = (shape: Shape): string => {
  const all = [shape, ...(shape.members ?? [])].flatMap(responseProperties);
  const names = [...new Set(all.map(({ name }) => name))];
  return names.slice(0, 12).join(", ") || "what its schema declares";
};

/** Reports the faults of each `x-error-mapping` once, at the first field whose operation can respond with the error. */
export function checkErrorMappings(model: Model, findings: Findings): void {
  const passed = new Set<unknown>();
  for (const { coordinate, definition, operation } of boundFields(model)) {
    for (const mapping of errorSchemas(model.document, operation).flatMap(({ mappings }) => mappings)) {
      if (passed.has(mapping.shape.node.value)) continue;
      passed.add(mapping.shape.node.value);
      const { node } = mapping;
      for (const { below, schema, message, hint } of new MappingReader(mapping).faults)
        findings.add(
          "error-mapping",
          { coordinate, schema: nodeLocation(definition.astNode), rest: node, below, also: [schema] },
          `${errorMapping} of the errors of ${operation.id} ${message}`,
          hint,
        );
    }
  }
}
