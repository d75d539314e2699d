/**
 * Prefixes names that every JavaScript object inherits, such as `valueOf`. openapi-typescript and graphql-codegen look names up
 * in plain objects, and would find the inherited member. The prefix is removed from their output.
 */
import { getCachedDocumentNodeFromSchema, type PluginFunction } from "@graphql-codegen/plugin-helpers";
import { buildASTSchema, type DocumentNode, Kind, parse, print, visit } from "graphql";
import { isInherited } from "../../shared/own.ts";

const prefix = "own__name__";
/** Matches the prefix only before an inherited name, because another name in the document may begin with the same text. */
const guard = new RegExp(`${prefix}(?=${Object.getOwnPropertyNames(Object.prototype).join("|")})`, "g");

export const guarded = (name: string): string => (isInherited(name) ? prefix + name : name);

export const unguarded = (text: string): string => text.replaceAll(guard, "");

/** Nodes whose names graphql-codegen uses as object keys. */
const kept: ReadonlySet<Kind> = new Set([
  Kind.OBJECT_TYPE_DEFINITION,
  Kind.INTERFACE_TYPE_DEFINITION,
  Kind.UNION_TYPE_DEFINITION,
  Kind.ENUM_TYPE_DEFINITION,
  Kind.INPUT_OBJECT_TYPE_DEFINITION,
  Kind.SCALAR_TYPE_DEFINITION,
  Kind.NAMED_TYPE,
  Kind.OPERATION_DEFINITION,
  Kind.FRAGMENT_DEFINITION,
  Kind.FRAGMENT_SPREAD,
]);

const guardedDocument = (document: DocumentNode): DocumentNode =>
  visit(document, {
    enter: (node) =>
      kept.has(node.kind) && "name" in node && node.name && isInherited(node.name.value)
        ? { ...node, name: { kind: Kind.NAME, value: guarded(node.name.value) } }
        : undefined,
  });

/** Prefixes inherited names in a GraphQL text. */
export const guardedText = (text: string): string => {
  const document = parse(text, { noLocation: true });
  const guardedNames = guardedDocument(document);
  return guardedNames === document ? text : print(guardedNames);
};

/** Prefixes inherited names in the plugin's input, and removes the prefix from its output. */
export const guardedPlugin =
  (plugin: PluginFunction): PluginFunction =>
  async (schema, documents, ...rest) => {
    const definitions = getCachedDocumentNodeFromSchema(schema);
    const guardedDefinitions = guardedDocument(definitions);
    const output = await plugin(
      guardedDefinitions === definitions ? schema : buildASTSchema(guardedDefinitions, { assumeValid: true }),
      documents.map((file) => ({
        ...file,
        ...(file.document && { document: guardedDocument(file.document) }),
      })),
      ...rest,
    );
    if (typeof output === "string") return unguarded(output);
    const { content, prepend = [], append = [] } = output;
    return {
      content: unguarded(content),
      prepend: prepend.map(unguarded),
      append: append.map(unguarded),
    };
  };
