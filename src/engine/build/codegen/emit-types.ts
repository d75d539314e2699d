/** Emits the parent types of all resolvers for `generated/graphql.ts`. */
import { getCachedDocumentNodeFromSchema, type PluginFunction } from "@graphql-codegen/plugin-helpers";
import { buildASTSchema, isScalarType, isSpecifiedScalarType, Kind, visit } from "graphql";
import { dateScalars } from "../../shared/date-scalars.ts";
import { own } from "../../shared/own.ts";
import type { Backing, Model } from "../bind/model.ts";
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
    ([type, backings]) =>
      [type, backings.map((backing) => withRequired(model, type, backing)).join(" | ")] as const,
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

/**
 * Returns the TypeScript type of a REST object. Properties for fields named in a `@requires` are optional in this type, because
 * only federation's entity representations contain them.
 */
function withRequired(
  { backings, references }: Model,
  type: string,
  { typeExpression, from }: Backing,
): string {
  const keys = references.flatMap((reference) => (reference.type === type ? reference.keys : []));
  const required = keys.flatMap(({ isOptional, property }) => (isOptional && property ? [property] : []));
  const representation = backings.get(type)?.find((each) => each.from === type);
  if (required.length === 0 || !representation || from === type) return typeExpression;
  const names = required.map((name) => JSON.stringify(name)).join(" | ");
  return `(${typeExpression} & Partial<Pick<${representation.typeExpression}, ${names}>>)`;
}

/**
 * Leaves type names such as `APIKey` and `my_type` unchanged, because the resolvers import them. Capitalizes only names that
 * graphql-codegen derives, such as `QueryBooksArgs`.
 */
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

/** Maps dates to strings, and other custom scalars to `any` and `unknown`, because the server does not change their values. */
const customScalars = ({ schema }: Model): Record<string, object | string> =>
  Object.fromEntries(
    Object.values(schema.getTypeMap())
      .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
      .map(({ name }) => [guarded(name), own(dateTypes, name) ?? { input: "any", output: "unknown" }]),
  );

/**
 * Options that require a resolver for every field, with the REST object as parent. `tsc` thus verifies the mapping independently
 * of the binder.
 */
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
    ID: { input: "string", output: "string | number" }, // graphql-js serializes numbers as strings
    ...customScalars(model),
  },
  maybeValue: "T | null | undefined", // graphql-js treats an absent REST property as null
  inputMaybeValue: "T | null", // graphql-js never passes `undefined` in a list
  makeResolverTypeCallable: true,
});

/**
 * Makes arguments and input fields with a default non-null, because the server rejects null where REST requires a value.
 * graphql-codegen itself does this only for arguments.
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

/**
 * Omits the types of directive resolvers, because the runtime does not use them and their names could collide with the schema's
 * types.
 */
export const withoutDirectives =
  (plugin: PluginFunction): PluginFunction =>
  (schema, ...rest) => {
    const definitions = visit(getCachedDocumentNodeFromSchema(schema), { DirectiveDefinition: () => null });
    return plugin(buildASTSchema(definitions, { assumeValid: true }), ...rest);
  };
