/** Finds the overlay action that removed an operation or input that the GraphQL schema still uses. */
import { membersOf } from "../../../shared/json-object.ts";
import type { FileLocation, NodePath } from "../../diagnostic.ts";
import type { RestDocument, RestNode, RootNode } from "../document.ts";
import type { RestOperation } from "../operation.ts";
import type { Removal } from "./overlay.ts";

/** Returns the action that removed the operation with this name. The name is an `operationId`, or a method and a path. */
export const operationRemoval = ({ roots }: RestDocument, name: string): FileLocation | undefined =>
  roots.flatMap((root) => root.removals.filter((each) => namesIn(root, each).includes(name)))[0]?.action;

/** Returns the names of the operations that an action removed, each with and without the name of the document. */
function namesIn(
  { name = "" }: RootNode,
  { path: [first, path, method, ...deeper], value }: Removal,
): string[] {
  if (first !== "paths" || deeper.length > 0) return [];
  const item = method === undefined ? value : { [method]: value };
  return Object.entries(path === undefined ? membersOf(value) : { [path]: item }).flatMap(([at, methods]) =>
    Object.entries(membersOf(methods)).flatMap(([each, operation]) => {
      const { operationId: id } = membersOf(operation);
      const verb = each.toUpperCase();
      return [String(id), `${name}/${id}`, `${verb} ${at}`, `${verb} ${name}${at}`];
    }),
  );
}

/** Returns the action that removed the input with this name: a parameter of the operation, or a property of its body. */
export function inputRemoval(
  document: RestDocument,
  { root, item, node, body }: RestOperation,
  name: string,
): FileLocation | undefined {
  const isAt = ({ file, path }: RestNode, other: NodePath): boolean =>
    file === root.file && path.join("/") === other.join("/");
  const isNamed = (value: unknown): boolean =>
    membersOf(document.follow({ ...root, value })?.value).name === name;
  return root.removals.find(({ path, value }) => {
    const last = path.at(-1);
    const holder = path.slice(0, -1);
    if (last === name && holder.at(-1) === "properties")
      return body !== undefined && isAt(body.shape.node, holder.slice(0, -1));
    const isList = last === "parameters";
    const list = isList ? path : holder;
    return (
      list.at(-1) === "parameters" &&
      [item, node].some((each) => isAt(each, list.slice(0, -1))) &&
      (isList && Array.isArray(value) ? value : [value]).some(isNamed)
    );
  })?.action;
}
