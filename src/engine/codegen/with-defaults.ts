/** The types of inputs that have a default. */
import { getCachedDocumentNodeFromSchema, type PluginFunction } from "@graphql-codegen/plugin-helpers";
import { buildASTSchema, Kind, visit } from "graphql";

/**
 * An input with a default has a value: the server refuses its null where REST requires one. graphql-codegen says so of
 * arguments, and not of the fields of input objects.
 */
export const withDefaults =
  (plugin: PluginFunction): PluginFunction =>
  (schema, ...rest) => {
    const definitions = visit(getCachedDocumentNodeFromSchema(schema), {
      InputValueDefinition: ({ type, defaultValue, ...node }) =>
        defaultValue && type.kind !== Kind.NON_NULL_TYPE
          ? { ...node, defaultValue, type: { kind: Kind.NON_NULL_TYPE, type } }
          : undefined,
    });
    return plugin(buildASTSchema(definitions, { assumeValid: true }), ...rest);
  };
