/**
 * Restores the bindings that a renamed REST operation or property breaks, so that the fields below are still compared with the
 * base. A rename would otherwise hide the breaking changes of these fields until the schema uses the new name.
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
 * Binds the schema of `head` again, but also finds operations by their names in `base`, and lets a type without REST objects keep
 * those of `base`. Returns `head` if nothing was renamed or lost.
 */
export function bindAsBefore(base: ValidProject, head: ValidProject): ValidProject {
  const names = formerNames(base.model, head.model);
  const formerObjects = objectsOfUnbound(base.model, head.model);
  if (names.size === 0 && formerObjects.size === 0) return head;
  const rest = { ...head.rest, operations: new RestOperations(head.model.operations, names) };
  const bound = new Project(head.files, { restOf: () => rest, formerObjects });
  return isValid(bound) ? bound : head;
}

/** Old operation name that the schema still uses → the renamed operation. */
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

/** Type that lost its REST objects → its objects in the base, as the new document declares them. */
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
 * Maps each object type to the operations that returned its objects at the base and still exist. Skips the fields below a removed
 * operation, because the finding about the operation covers them.
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

function reachedByResponses(head: Model, operations: Iterable<RestOperation>): ReadonlySet<unknown> {
  const nodes = [...operations].flatMap(({ successes }) => successes.flatMap(({ node }) => node ?? []));
  return new Set([...reachedNodes(head.document, nodes, new Map())].map(({ value }) => value));
}

/** Returns the REST object as the new document declares it, if a response still contains it. */
function objectNow(
  base: RestDocument,
  head: RestDocument,
  backing: Backing,
  responses: ReadonlySet<unknown>,
): Backing | undefined {
  const { node, identity } = backing.shape;
  // the engine composes some objects, such as connections, so they have no schema in the document
  if (shapeAt(base, node).identity.text !== identity.text) return undefined;
  const path = pathNow(base, head, node);
  const value = path && head.valueAt({ ...node, path });
  if (!path || !responses.has(value)) return undefined;
  const shape = shapeAt(head, { ...node, path, value });
  // without any of the old properties, the object at this path is a different one
  const isSame = [...backing.shape.properties.keys()].some((name) => shape.properties.has(name));
  return isSame && isOnly(shape, "object") ? { ...backing, shape } : undefined;
}

/** Returns the node's path in the new document, with the new names of renamed properties. */
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

/** Returns the new name of `key`, if it is the only removed key and exactly one key was added. */
function newKey(was: unknown, is: unknown, key: string | number): string | undefined {
  const removed = Object.keys(was ?? {}).filter((each) => childValue(is, each) === undefined);
  const [added, ...others] = Object.keys(is ?? {}).filter((each) => childValue(was, each) === undefined);
  return removed.length === 1 && removed[0] === String(key) && others.length === 0 ? added : undefined;
}
