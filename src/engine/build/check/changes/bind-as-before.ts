/**
 * Binds the fields below a field that no longer binds, so that they are compared with the base as well. Without it, an edit that
 * renames an operation, or the property with its result, would hide what else it breaks until the schema follows the new name.
 */
import type { Backing, FormerObjects, Model } from "../../bind/model.ts";
import type { NodeLocation, NodePath } from "../../diagnostic.ts";
import { childValue, type RestDocument } from "../../openapi/document.ts";
import type { RestOperation } from "../../openapi/operation.ts";
import { reachedNodes } from "../../openapi/reached-nodes.ts";
import { RestOperations } from "../../openapi/read-operations.ts";
import { lazy } from "../../openapi/shapes/lazy.ts";
import { shapeAt } from "../../openapi/shapes/read-shape.ts";
import { isOnly } from "../../openapi/shapes/shape.ts";
import { isValid, Project, type ValidProject } from "../../project/project.ts";
import { readRest } from "../../schema/directives.ts";
import { allFields, boundRoots, objectTypesOf, unreachableTypes } from "../../schema/object-types.ts";

/**
 * Binds the schema of `head` again. Renamed operations keep the names that they have in `base`. Types that no field reaches any
 * more are read from the REST objects that they have in `base`. Returns `head` if nothing was renamed or lost.
 */
export function bindAsBefore(base: ValidProject, head: ValidProject): ValidProject {
  const names = formerNames(base.model, head.model);
  const formerObjects = objectsOfUnbound(base.model, head.model);
  if (names.size === 0 && formerObjects.size === 0) return head;
  const rest = { ...head.rest, operations: new RestOperations(head.model.operations, names) };
  const bound = new Project(head.files, { restOf: () => rest, formerObjects });
  return isValid(bound) ? bound : head;
}

/** The renamed operations, by the names that the schema still uses. */
function formerNames(base: Model, head: Model): Map<string, RestOperation> {
  return new Map(
    allFields(head.schema).flatMap(({ field }): [string, RestOperation][] => {
      const { operation: name } = readRest(head.schema, field) ?? {};
      if (name === undefined || head.operations.named(name)) return [];
      const was = base.operations.named(name);
      const now = was && head.operations.versionOf(was);
      return now ? [[name, now]] : [];
    }),
  );
}

/** The REST objects that types without one had at the base, as they are in the new document. */
function objectsOfUnbound(base: Model, head: Model): FormerObjects {
  const entities = head.federation?.keys.map(({ type }) => type);
  const unreached = lazy(() => new Set(unreachableTypes(head.schema, entities).map(({ name }) => name)));
  const unbound = [...base.backings].filter(
    ([type]) => !head.backings.has(type) && head.schema.getType(type) && !unreached().has(type),
  );
  const operations = lazy(() => operationsByType(base, head));
  return new Map(
    unbound.map(([type, backings]) => [
      type,
      () => {
        const responses = reachedByResponses(head, operations().get(type) ?? []);
        return backings.flatMap(
          (backing) => objectNow(base.document, head.document, backing, responses) ?? [],
        );
      },
    ]),
  );
}

/**
 * By object type: the operations of the new document whose responses contained objects of the type at the base. What is below a
 * removed operation belongs to the finding of that operation, so links below it are not followed.
 */
function operationsByType(base: Model, head: Model): ReadonlyMap<string, ReadonlySet<RestOperation>> {
  const fields = Map.groupBy(base.fields.values(), ({ type }) => type);
  const found = new Map<string, Set<RestOperation>>();
  const owners = [...boundRoots(base.schema).map(({ name }) => name), ...head.backings.keys()];
  const waiting: { owner: string; from?: RestOperation }[] = owners.map((owner) => ({ owner }));
  for (const { owner, from } of waiting)
    for (const field of fields.get(owner) ?? []) {
      const operation = field.kind === "bound" ? head.operations.versionOf(field.operation) : from;
      for (const { name } of objectTypesOf(base.schema, field.definition.type)) {
        const known = found.get(name) ?? new Set();
        if (!operation || known.has(operation)) continue;
        found.set(name, known.add(operation));
        waiting.push({ owner: name, from: operation });
      }
    }
  return found;
}

/** The values of all nodes that the responses of these operations reach in the new document. */
function reachedByResponses(head: Model, operations: Iterable<RestOperation>): ReadonlySet<unknown> {
  const nodes = [...operations].flatMap(({ successes }) => successes.flatMap(({ node }) => node ?? []));
  return new Set([...reachedNodes(head.document, nodes, new Map())].map(({ value }) => value));
}

/** The REST object in the new document, if a response still contains it. */
function objectNow(
  base: RestDocument,
  head: RestDocument,
  backing: Backing,
  responses: ReadonlySet<unknown>,
): Backing | undefined {
  const { node, identity } = backing.shape;
  // objects that the engine composes, such as connections, have no schema in the document
  if (shapeAt(base, node).identity.text !== identity.text) return undefined;
  const path = pathNow(base, head, node);
  const value = path && head.valueAt({ ...node, path });
  if (!path || !responses.has(value)) return undefined;
  const shape = shapeAt(head, { ...node, path, value });
  // a schema without any of its former properties describes another object, although it has the same name
  const isSame = [...backing.shape.properties.keys()].some((name) => shape.properties.has(name));
  return isSame && isOnly(shape, "object") ? { ...backing, shape } : undefined;
}

/** The node's path in the new document, in which properties on it may have other names. */
function pathNow(base: RestDocument, head: RestDocument, { file, path }: NodeLocation): NodePath | undefined {
  const now: (string | number)[] = [];
  for (const [index, step] of path.entries()) {
    const holder = head.valueAt({ file, path: now });
    const isThere = childValue(holder, step) !== undefined;
    const former = { file, path: path.slice(0, index) };
    const next =
      isThere || path[index - 1] !== "properties" ? step : newKey(base.valueAt(former), holder, step);
    if (next === undefined) return undefined;
    now.push(next);
  }
  return now;
}

/** The new name of a key, if exactly this key was removed and one added. */
function newKey(was: unknown, is: unknown, key: string | number): string | undefined {
  const removed = Object.keys(was ?? {}).filter((each) => childValue(is, each) === undefined);
  const [added, ...others] = Object.keys(is ?? {}).filter((each) => childValue(was, each) === undefined);
  return removed.length === 1 && removed[0] === String(key) && others.length === 0 ? added : undefined;
}
