/**
 * Reads the links that the document declares (OpenAPI 3.1 §4.8.20): an answer says which of its values are the parameters of
 * another operation. A link that takes more than values of the answer is left out.
 */
import { getNullableType, isObjectType } from "graphql";
import { membersOf } from "../../shared/json-object.ts";
import { type BoundField, boundFields, type Model } from "../bind/model.ts";
import { entriesByKey, type RestNode, type RootNode } from "../openapi/document.ts";
import { unescapePointer } from "../openapi/json-pointer.ts";
import type { RestOperation } from "../openapi/operation.ts";
import { alwaysFits } from "../openapi/shapes/property-paths.ts";

export type Link = {
  readonly type: string;
  /** The name that the document gives to the link, or the rest of the path, behind the object. */
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly from: string }[];
};

/** Links by the `operationId`, or the method and path, of the operation that they call. */
export function declaredLinks(model: Model): ReadonlyMap<string, readonly Link[]> {
  const found = boundFields(model).flatMap((field) =>
    linkNodes(model, field).flatMap(([name, node]) => {
      const operation = targetOf(model, field.operation.root, membersOf(node.value));
      const link = operation && linkOf(model, field, operation, name, membersOf(node.value));
      return link ? [{ id: operation.id, link }] : [];
    }),
  );
  const groups = Map.groupBy(found, ({ id }) => id);
  return new Map([...groups].map(([id, all]) => [id, all.map(({ link }) => link)]));
}

const linkNodes = ({ document }: Model, { operation }: BoundField): [name: string, node: RestNode][] =>
  operation.successes.flatMap(({ node }) => [...entriesByKey(document, document.child(node, "links"))]);

/** `operationRef` is a pointer of this document: `#/paths/~1users~1{id}/get`. */
function targetOf(
  { operations }: Model,
  { name = "" }: RootNode,
  { operationId, operationRef }: Record<string, unknown>,
) {
  if (typeof operationId === "string")
    return operations.named(name === "" ? operationId : `${name}/${operationId}`);
  const [, path, method] = /^#\/paths\/([^/]+)\/(\w+)$/.exec(String(operationRef)) ?? [];
  if (path === undefined || method === undefined) return undefined;
  return operations.named(`${method.toUpperCase()} ${name}${unescapePointer(path)}`);
}

function linkOf(
  model: Model,
  field: BoundField,
  operation: RestOperation,
  name: string,
  { parameters, requestBody }: Record<string, unknown>,
): Link | undefined {
  const type = getNullableType(field.definition.type);
  if (!isObjectType(type) || field.connection || requestBody !== undefined) return undefined;
  const given = Object.entries(membersOf(parameters));
  const params = given.flatMap(([written, value]) => {
    // a name may say its place: `path.id`
    const own = written.replace(/^(?:path|query|header)\./, "");
    const path = pathIn(value, field.result);
    const parameter = operation.parameters.find((each) => each.name === own);
    const isSent = (model.backings.get(type.name) ?? []).every(
      ({ shape }) => path && parameter && alwaysFits(shape, path, parameter.shape),
    );
    return isSent && path ? [{ name: own, from: ["parent", ...path].join(".") }] : [];
  });
  const fed = new Set(params.map((each) => each.name));
  const isWhole = operation.parameters.every((each) => !each.required || fed.has(each.name));
  return params.length > 0 && params.length === given.length && isWhole
    ? { type: type.name, name, params }
    : undefined;
}

/** The path in the field's value of `$response.body#/a/b` (§4.8.20.4). */
function pathIn(expression: unknown, result: readonly string[]): string[] | undefined {
  const [, pointer] = /^\$response\.body#\/(.+)$/.exec(String(expression)) ?? [];
  const path = pointer?.split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (!path || path.some((step) => step.includes("."))) return undefined;
  return result.every((step, index) => path[index] === step) ? path.slice(result.length) : undefined;
}
