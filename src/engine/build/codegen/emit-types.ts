/** `generated/graphql.ts`: its head, with the REST object behind each GraphQL object type, and the options of its plugins. */
import { getCachedDocumentNodeFromSchema, type PluginFunction } from "@graphql-codegen/plugin-helpers";
import { buildASTSchema, isScalarType, isSpecifiedScalarType, Kind, visit } from "graphql";
import { dateScalars } from "../../shared/date-scalars.ts";
import { own } from "../../shared/own.ts";
import type { Model } from "../bind/model.ts";
import { guarded, unguarded } from "./inherited-names.ts";
import type { TypeNames } from "./type-names.ts";
import { comment, singleQuoted, withoutTextAndComments } from "./typescript-text.ts";

export const dateTypes: Readonly<Record<string, string>> = Object.fromEntries(
  [...dateScalars.keys()].map((name) => [name, "string"]),
);

const context = `${comment("The context of every resolver: the REST client, with the document's types.")}
export type Context = ContextOf<paths, ResolversParentTypes, ResolversTypes, Scalars>;`;

export function emitParents(model: Model, typeNames: TypeNames): { prepend: string[]; content: string } {
  const types = [...model.backings].map(
    ([type, backings]) => [type, backings.map(({ typeExpression }) => typeExpression).join(" | ")] as const,
  );
  const parents = types.map(
    ([type, rest]) =>
      `${comment(`The REST object that ${type} is read from.`)}\nexport type ${typeNames.ofParent(type)} = ${rest};`,
  );
  const used = new Set(types.flatMap(([, rest]) => withoutTextAndComments(rest).match(/\w+/g) ?? []));
  const generated = used.has("components") ? "components, paths" : "paths";
  return {
    prepend: [
      `import type { ${["Connection", "Context as ContextOf", "Entries"].filter((name) => name.includes(" ") || used.has(name)).join(", ")} } from "restbound/rest";`,
      `import type { ${generated} } from "./rest.ts";`,
    ],
    content: [...parents, context].join("\n"),
  };
}

/** A type keeps its name (`APIKey`, `my_type`), which the resolvers import; `QueryContactsArgs` gets its capitals. */
const keepTypeName =
  ({ schema }: Model, typeNames: TypeNames) =>
  (given: string): string => {
    const name = unguarded(given);
    if (schema.getType(name)) return typeNames.of(name);
    const { resolversSuffix } = typeNames;
    const owner = name.endsWith(resolversSuffix) ? name.slice(0, -resolversSuffix.length) : "";
    if (schema.getType(owner)) return typeNames.ofResolvers(owner);
    return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  };

/** A custom scalar passes unchanged. A date is a string, and REST alone knows the type of any other. */
const customScalars = ({ schema }: Model): Record<string, object | string> =>
  Object.fromEntries(
    Object.values(schema.getTypeMap())
      .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
      .map(({ name }) => [guarded(name), own(dateTypes, name) ?? { input: "any", output: "unknown" }]),
  );

/** Every field resolver is demanded, and its parent is the REST object, so that `tsc` proves the mapping a second time. */
export const typeOptions = (model: Model, typeNames: TypeNames) => ({
  contextType: "Context",
  resolverTypeSuffix: typeNames.resolversSuffix,
  mappers: {
    ...Object.fromEntries(
      [...model.backings.keys()].map((type) => [guarded(type), typeNames.ofParent(type)]),
    ),
    ...Object.fromEntries([...model.enums.keys()].map((name) => [guarded(name), typeNames.of(name)])),
  },
  enumValues: Object.fromEntries(
    [...model.enums].map(([name, values]) => [
      guarded(name),
      Object.fromEntries([...values].map(([value, rest]) => [value, singleQuoted(rest)])),
    ]),
  ),
  namingConvention: { typeNames: keepTypeName(model, typeNames), transformUnderscore: true },
  avoidOptionals: { field: true, object: true, resolvers: true, defaultValue: true },
  enumsAsTypes: true,
  useTypeImports: true,
  emitLegacyCommonJSImports: false,
  importExtension: ".ts",
  strictScalars: false,
  defaultScalarType: "unknown",
  scalars: {
    ID: { input: "string", output: "string | number" }, // a number is written as text
    ...customScalars(model),
  },
  maybeValue: "T | null | undefined", // REST leaves an optional property out, graphql-js takes that for null
  inputMaybeValue: "T | null", // what is left out of a list is no item
  makeResolverTypeCallable: true,
});

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
