/** Derives unique names for proposed fields and types from REST operations, and writes descriptions. */
import { Kind, print } from "graphql";
import { deprecationOf } from "../openapi/deprecation.ts";
import type { RestNode } from "../openapi/document.ts";
import { isSafe, methodAndPath, ownPath, type RestOperation } from "../openapi/operation.ts";
import { normalizeName, splitWords } from "../schema/graphql-names.ts";
import { singular } from "./resource-paths.ts";

/**
 * Names the operation by its `operationId`, minus the parts that code generators add. An operation without an id is named by its
 * path. For example, `/folders/{id}` becomes `folder`, and `/folders/{id}/items` becomes `folder items`. For an unsafe method,
 * the name of a path begins with the method.
 */
export function nameFrom(operation: RestOperation): string {
  const id = ownId(operation);
  if (id === undefined || isPathWritten(operation, id))
    return nameFromPath(operation, isApiOrVersion, resourceWords);
  const name = nameOfFunction(operation, id);
  if (name !== undefined) return isGeneric(name) ? nameFromPath(operation, isApiOrVersion) : name;
  // NestJS writes the class and the method, as in UsersController_findAll or UsersControllerV1_getUser
  const [, owner, method] = /^(\w+)Controller(?:V\d+)?_([A-Za-z]\w*)$/.exec(id) ?? [];
  if (owner === undefined || method === undefined) return withoutVersion(id);
  return namesResource(method, owner) ? method : `${owner} ${method}`;
}

/** `v1.application.list` → `application.list`, but `v1.list` is unchanged, because `list` names no resource. */
function withoutVersion(id: string): string {
  const name = id.replace(/^v\d+(?:\.\d+)*[._/-](?=[a-z])/i, "");
  return isGeneric(name) ? id : name;
}

/** Whether the name contains the resource, as `listUsers` and `getUserRoles` contain `users`. */
function namesResource(name: string, resource: string): boolean {
  const one = singular(resource).toLowerCase();
  return name.length > one.length && name.toLowerCase().includes(one);
}

/** The name to use if the one from `nameFrom` is taken. Begins with the document's name if there are several documents. */
export function wholeNameFrom(operation: RestOperation): string {
  const id = ownId(operation);
  const isOfPath =
    id === undefined || isPathWritten(operation, id) || nameOfFunction(operation, id) !== undefined;
  return [operation.root.name ?? [], isOfPath ? nameFromPath(operation) : id].flat().join(" ");
}

/** The `operationId` as written in the document, if it has one. */
function ownId(operation: RestOperation): string | undefined {
  const { id, root } = operation;
  if (id === methodAndPath(operation)) return undefined;
  return root.name === undefined ? id : id.slice(root.name.length + 1);
}

/** Whether the id only repeats the method and the path, as `get_folders_id_items` does for `GET /folders/{folder_id}/items`. */
function isPathWritten({ method, ...operation }: RestOperation, id: string): boolean {
  const path = ownPath({ method, ...operation });
  if (!path.includes("{")) return false;
  return [path, path.replaceAll(/\{[^{}]*\}/g, "id")].some(
    (each) => normalizeName(method + each) === normalizeName(id),
  );
}

/**
 * The words of a path. A parameter after a resource is omitted and makes the resource singular, so `/folders/{id}` becomes
 * `folder`.
 */
function resourceWords(steps: readonly string[]): string[] {
  const parts = steps.join("/").split(/[/#:]/);
  return parts.flatMap((step, index) => {
    const isParameter = /^\{[^{}]*\}$/.test(step);
    const isResource = (each: string): boolean => !each.startsWith("{") && !isApiOrVersion(each);
    if (isParameter && parts.slice(0, index).some(isResource)) return [];
    return [parts[index + 1]?.startsWith("{") && isResource(step) ? singular(step) : step];
  });
}

/** The function name in a FastAPI id. FastAPI appends the path and the method, as in `read_item_items__item_id__get`. */
function nameOfFunction(operation: RestOperation, id: string): string | undefined {
  const added = `${ownPath(operation).replaceAll(/\W/g, "_")}_${operation.method.toLowerCase()}`;
  return id.endsWith(added) && id.length > added.length ? id.slice(0, -added.length) : undefined;
}

/** Words that do not name a resource, as in `get_all`. */
const generic =
  /^(?:get|read|list|find|create|add|update|put|patch|delete|remove|all|one|many|by|id|items?)$/i;

const isGeneric = (name: string): boolean => splitWords(name).every((word) => generic.test(word));

/** Whether a path segment is `api` or a version. */
export const isApiOrVersion = (step: string): boolean => /^(?:api|v\d+(?:\.\d+)*)$/i.test(step);

/**
 * Names an operation by its path. Unless a parameter follows, omits a leading segment that `isLeftOut` accepts.
 * `wordsOf` converts the remaining segments to words.
 */
function nameFromPath(
  operation: RestOperation,
  isLeftOut = (_step: string): boolean => false,
  wordsOf = (steps: readonly string[]): readonly string[] => steps,
): string {
  const { method } = operation;
  const steps = ownPath(operation).split("/").slice(1);
  while (isLeftOut(steps[0] ?? "") && /^\w/.test(steps[1] ?? "")) steps.shift();
  const name = wordsOf(steps).join("/");
  const words = splitWords(name).length > 0 ? name : "root";
  return isSafe(method) ? words : `${method.toLowerCase()} ${words}`;
}

/** Maps each REST name to a unique name. Duplicates get a number, as in `userId` and `userId2`. */
export function uniqueNames(
  names: readonly string[],
  make: (name: string) => string,
  taken: Iterable<string> = [],
): string[] {
  const used = new Set(taken);
  return names.map((name) => {
    const free = freeName(make(name), used);
    used.add(free);
    return free;
  });
}

/** Appends a number if the name is taken. */
export function freeName(name: string, taken: Pick<ReadonlySet<string>, "has">): string {
  for (let free = name, number = 2; ; free = `${name}${number++}`) if (!taken.has(free)) return free;
}

/** Returns ` @deprecated(…)` if the document deprecates one of the nodes; otherwise an empty text. */
export const deprecatedDirective = (...nodes: readonly RestNode[]): string =>
  deprecationOf(nodes) ? ' @deprecated(reason: "REST deprecates it.")' : "";

/** Returns the SDL lines of a description. Keeps line breaks only if they carry Markdown structure. */
export function descriptionLines(text: unknown, indent: string): string[] {
  if (typeof text !== "string" || text.trim() === "") return [];
  const lines = hasStructure(text)
    ? print({ kind: Kind.STRING, value: trimmedLines(text), block: true }).split("\n")
    : [JSON.stringify(text.trim().replaceAll(/\s+/g, " "))];
  return lines.map((line) => (line === "" ? "" : indent + line));
}

/** The start of a list item, a table row, a heading, a block quote or a code fence (CommonMark 0.31.2 §4, §5). */
const markdownBlock = /^[ \t]*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>|\|)[ \t]+\S|^[ \t]*(?:```|~~~)/;

/** Whether a line other than the first begins a Markdown block. A block string cannot contain control characters. */
const hasStructure = (text: string): boolean =>
  text.isWellFormed() &&
  !/[^\P{Cc}\t\r\n]/u.test(text) &&
  text
    .trim()
    .split(lineBreak)
    .some((line, index) => index > 0 && markdownBlock.test(line));

const lineBreak = /\r\n|[\r\n]/;

/** Removes spaces at the ends of lines, and repeated blank lines. */
const trimmedLines = (text: string): string =>
  text
    .split(lineBreak)
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/^\n+/, "")
    .trimEnd()
    .replaceAll(/\n{3,}/g, "\n\n");
