/** Emits `generated/rest.ts`: openapi-typescript's types for the bound operations. */
import {
  astToString,
  type OpenAPI3,
  resolveRef,
  scanDiscriminators,
  transformSchema,
} from "openapi-typescript";
import ts from "typescript";
import { unreadableSpec } from "../../diagnostic.ts";
import type { RestDocument } from "../../openapi/document.ts";
import { documentsFolder } from "../../openapi/document-files.ts";
import { itemMethods, type RestOperation } from "../../openapi/operation.ts";
import { unguarded } from "../inherited-names.ts";
import { plainDocument } from "./plain-document.ts";

export async function emitRestTypes(
  document: RestDocument,
  operations: readonly RestOperation[],
): Promise<string> {
  try {
    const names = shortenPaths(operations);
    const slots = otherMethods(operations);
    const whole = plainDocument(document, operations, names, slots) as unknown as OpenAPI3;
    const nodes = withOtherMethods(transformSchema(whole, contextFor(whole)), slots, names);
    return restoreLongPaths(unguarded(astToString(nodes)), names);
  } catch (error) {
    throw unreadableSpec(
      document.roots.length > 1 ? documentsFolder : document.root.file,
      error instanceof URIError
        ? "a path, an operationId, a component or a property has a % in its name that openapi-typescript cannot read"
        : `openapi-typescript cannot write types for it: ${(error as Error).message}`,
    );
  }
}

type Context = Parameters<typeof transformSchema>[1];

/**
 * Creates the context for `transformSchema`. We do not call `openapiTS`, because it also lints and bundles the document, which
 * takes a third of the call's time. Options that this context omits are off.
 */
function contextFor(whole: OpenAPI3): Context {
  const silent = { silent: true };
  const context: Partial<Context> = {
    ...silent,
    discriminators: scanDiscriminators(whole, silent),
    injectFooter: [],
    resolve: (reference) => resolveRef(whole, reference, silent),
  };
  return context as Context;
}

// openapi-typescript 7 skips the methods that OpenAPI 3.2 adds (`query`, `additionalOperations`). We describe such an operation
// as the GET of a temporary path, and then move its type to the real path and method.

const knownMethods: ReadonlySet<string> = new Set(itemMethods.filter((method) => method !== "query"));

/** Returns a temporary path for each operation whose method openapi-typescript skips. */
function otherMethods(operations: readonly RestOperation[]): ReadonlyMap<RestOperation, string> {
  const prefix = freePrefix("/other-method-", operations);
  const others = operations.filter(({ method }) => !knownMethods.has(method));
  return new Map(others.map((operation, index) => [operation, `${prefix}${index}`]));
}

function withOtherMethods(
  nodes: readonly ts.Node[],
  slots: ReadonlyMap<RestOperation, string>,
  names: ReadonlyMap<string, string>,
): ts.Node[] {
  if (slots.size === 0) return [...nodes];
  const { factory } = ts;
  const owners = Map.groupBy([...slots], ([{ path }]) => names.get(path) ?? path);
  const taken = new Set(slots.values());
  return nodes.map((node) => {
    if (!ts.isInterfaceDeclaration(node) || node.name.text !== "paths") return node;
    const items = new Map(
      node.members.flatMap((member) =>
        ts.isPropertySignature(member) && member.type && ts.isTypeLiteralNode(member.type)
          ? [[nameOf(member), { member, type: member.type }] as const]
          : [],
      ),
    );
    const members = [...items].flatMap(([path, { member, type }]) => {
      if (taken.has(path)) return [];
      const moved = (owners.get(path) ?? []).flatMap(([{ method }, slot]) => {
        const found = items.get(slot)?.type.members.find((each) => nameOf(each) === "get");
        return found && ts.isPropertySignature(found)
          ? [
              factory.updatePropertySignature(
                found,
                found.modifiers,
                factory.createStringLiteral(method),
                undefined,
                found.type,
              ),
            ]
          : [];
      });
      const all = factory.updateTypeLiteralNode(type, factory.createNodeArray([...type.members, ...moved]));
      return [
        factory.updatePropertySignature(member, member.modifiers, member.name, member.questionToken, all),
      ];
    });
    const { modifiers, name, typeParameters, heritageClauses } = node;
    return factory.updateInterfaceDeclaration(
      node,
      modifiers,
      name,
      typeParameters,
      heritageClauses,
      members,
    );
  });
}

const nameOf = ({ name }: ts.TypeElement): string =>
  name && (ts.isStringLiteral(name) || ts.isIdentifier(name)) ? name.text : "";

// Long paths get short names, because openapi-typescript stores the location of each node as a string in a Set. V8 hashes a
// string of more than 16,383 characters by its length alone, so thousands of nodes below one long path would collide.

/** Paths with more characters get a short name. No known document has a path of this length. */
const longest = 2_000;

/** Returns a short name for each long path. */
function shortenPaths(operations: readonly RestOperation[]): ReadonlyMap<string, string> {
  const paths = new Set(operations.map(({ path }) => path));
  const prefix = freePrefix("/long-path-", operations);
  const long = [...paths].filter(({ length }) => length > longest);
  return new Map(long.map((path, index) => [path, `${prefix}${index}`]));
}

function freePrefix(wanted: string, operations: readonly RestOperation[]): string {
  let prefix = wanted;
  while (operations.some(({ path }) => path.startsWith(prefix))) prefix += "-";
  return prefix;
}

function restoreLongPaths(types: string, names: ReadonlyMap<string, string>): string {
  let text = types;
  for (const [path, name] of names) text = text.replaceAll(JSON.stringify(name), () => JSON.stringify(path));
  return text;
}
