/** Reads one operation: its parameters, its JSON body, its successes, and what of it no binding can feed. */
import { isJson } from "../http/media-type.ts";
import { type Answer, inputKey, type Parameter, type RestOperation } from "./operations.ts";
import { shapeAt } from "./read-shape.ts";
import { isRecord, type RestDocument, type RestNode } from "./rest-document.ts";
import { below, type Shape } from "./shape.ts";
import type { Path } from "./yaml-file.ts";

export function readOperation(
  document: RestDocument,
  id: string,
  method: string,
  path: string,
  item: RestNode,
  node: RestNode,
): RestOperation {
  const value = node.value as Record<string, unknown>;
  const [tag] = Array.isArray(value.tags) ? value.tags : [];
  const merged = new Map<string, Parameter>();
  for (const owner of [item, node]) {
    for (const parameter of readParameters(document, owner)) merged.set(inputKey(parameter), parameter);
  }
  const body = readBody(document, node);
  return {
    id,
    method,
    path,
    node,
    product: typeof tag === "string" ? tag.toUpperCase().replaceAll("-", "_") : "",
    parameters: [...merged.values()],
    answers: readAnswers(document, node),
    success: successPath(document, node),
    unfeedable: unfeedable(document, item, node, body),
    documents404: keys(document.child(node, "responses")).includes("404"),
    ...(typeof value.summary === "string" && { summary: value.summary }),
    ...(typeof value["x-permission"] === "string" && { permission: value["x-permission"] }),
    ...(body && { body }),
  };
}

function readParameters(document: RestDocument, owner: RestNode): Parameter[] {
  return members(document, document.child(owner, "parameters")).flatMap((node): Parameter[] => {
    if (!isRecord(node.value)) return [];
    const { name, in: location, required, style, explode, "x-limit-per": limitPer } = node.value;
    if (typeof name !== "string" || !(location === "path" || location === "query" || location === "header"))
      return [];
    const usual = location === "query" ? "form" : "simple";
    const written =
      !("schema" in node.value) && "content" in node.value
        ? "content"
        : typeof style === "string"
          ? style
          : usual;
    return [
      {
        name,
        in: location,
        node,
        required: required === true || location === "path",
        shape: schemaShape(document, node),
        style: written,
        explode: typeof explode === "boolean" ? explode : written === "form",
        ...(typeof limitPer === "string" && { limitPer }),
      },
    ];
  });
}

function successPath(document: RestDocument, operation: RestNode): Path {
  const responses = document.child(operation, "responses");
  const successes = keys(responses).filter((key) => /^2/.test(key));
  const isFull = (key: string): boolean =>
    keys(document.child(document.child(responses, key), "content")).length > 0;
  const status = successes.find(isFull) ?? successes[0];
  if (status === undefined) return ["responses", ...keys(responses).slice(0, 1)];
  const [media] = keys(document.child(document.child(responses, status), "content"));
  return ["responses", status, ...(media === undefined ? [] : ["content", media])];
}

function unfeedable(
  document: RestDocument,
  item: RestNode,
  operation: RestNode,
  json: RestOperation["body"],
): RestOperation["unfeedable"] {
  const cookies = requiredCookies(document, [item, operation]);
  const body = document.child(operation, "requestBody");
  const isRequired = body && isRecord(body.value) && body.value.required === true;
  return isRequired && !json
    ? [
        ...cookies,
        {
          what: "a body that is not JSON",
          node: body,
          below: ["content", ...keys(document.child(body, "content")).slice(0, 1)],
        },
      ]
    : cookies;
}

/** The last owner that names a cookie says whether it is required. */
function requiredCookies(
  document: RestDocument,
  owners: readonly RestNode[],
): { what: string; node: RestNode }[] {
  const cookies = new Map<string, { node: RestNode; required: unknown }>();
  for (const owner of owners) {
    for (const node of members(document, document.child(owner, "parameters"))) {
      const { name, in: location, required } = isRecord(node.value) ? node.value : {};
      if (location === "cookie") cookies.set(`the cookie "${name}"`, { node, required });
    }
  }
  return [...cookies].flatMap(([what, { node, required }]) => (required === true ? [{ what, node }] : []));
}

/** A parameter's schema stands in `schema`, or in the one entry of `content`. */
function schemaShape(document: RestDocument, node: RestNode): Shape {
  const [entry] = members(document, document.child(node, "content"));
  const isInContent = entry && !("schema" in (node.value as object));
  return shapeAt(document, schemaIn(isInContent ? entry : node));
}

/** The `schema` of a parameter or of a media type; an empty one, which says nothing, if there is none. */
const schemaIn = (node: RestNode): RestNode =>
  isRecord(node.value) && "schema" in node.value ? below(node, "schema") : { ...node, value: {} };

function readBody(document: RestDocument, operation: RestNode): RestOperation["body"] {
  const node = document.child(operation, "requestBody");
  const found = node && jsonContent(document, node);
  if (!node || !found) return undefined;
  return { ...found, node, required: (node.value as Record<string, unknown>).required === true };
}

function readAnswers(document: RestDocument, operation: RestNode): Answer[] {
  const responses = document.child(operation, "responses");
  return keys(responses)
    .filter((status) => /^2/.test(status))
    .flatMap((status): Answer[] => {
      const node = document.child(responses, status);
      if (!node) return [];
      const [media] = keys(document.child(node, "content"));
      return [{ status, ...(media !== undefined && { media }), ...jsonContent(document, node) }];
    });
}

function jsonContent(document: RestDocument, node: RestNode): { media: string; shape: Shape } | undefined {
  const content = document.child(node, "content");
  const media = keys(content).find(isJson);
  if (media === undefined) return undefined;
  const entry = document.child(content, media);
  return entry && { media, shape: shapeAt(document, schemaIn(entry)) };
}

/** The entries of a list or map, their `$ref`s followed; without those that lead nowhere. */
const members = (document: RestDocument, node: RestNode | undefined): RestNode[] =>
  keys(node).flatMap((key) => document.child(node, key) ?? []);

export const keys = (node: RestNode | undefined): string[] =>
  typeof node?.value === "object" && node.value !== null ? Object.keys(node.value) : [];
