/**
 * The saved operations that are tools for agents: name, description, and the JSON Schema (2020-12) of the variables. The schema
 * of a variable contains REST's limits for the argument that receives the variable.
 */
import {
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type OperationDefinitionNode,
  parse,
  TypeInfo,
  typeFromAST,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from "graphql";
import type { GeneratedApi, ManifestEntry, WriteHints } from "../runtime/rest/generated-api.ts";
import { own } from "../shared/own.ts";
import { type JsonObject, outputSchemaOf, scalarSchema } from "./output-schema.ts";

export type Tool = {
  /** The id of the saved operation. */
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: "object"; readonly properties: JsonObject };
  readonly outputSchema: JsonObject & { readonly type: "object" };
  /** The scope requirements of each REST operation that the tool calls. */
  readonly scopes: NonNullable<ManifestEntry["scopes"]>;
  readonly hints: { readonly readOnlyHint: boolean } & Partial<WriteHints>;
};

export function toolsOf({ savedOperations, argumentSchemas }: GeneratedApi, schema: GraphQLSchema): Tool[] {
  return savedOperations.flatMap(({ id, name, body, tool, hints, scopes = [] }): Tool[] => {
    if (tool === undefined) return [];
    const document = parse(body, { noLocation: true });
    const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
    if (!operation) return [];
    const limits = new Map<string, JsonObject>();
    const types = new TypeInfo(schema);
    visit(
      document,
      visitWithTypeInfo(types, {
        Argument({ name: argument, value }) {
          if (value.kind !== Kind.VARIABLE) return;
          const coordinate = `${types.getParentType()?.name}.${types.getFieldDef()?.name}`;
          const variable = value.name.value;
          const limit = own(own(argumentSchemas, coordinate) ?? {}, argument.value);
          const inErrors = argument.value === variable ? undefined : `Errors call it \`${argument.value}\`.`;
          const described = [types.getArgument()?.description, inErrors].filter(Boolean).join(" ");
          const existing = limits.get(variable);
          limits.set(variable, { ...limit, ...(described && { description: described }), ...existing });
        },
      }),
    );
    const inputSchema = variablesSchema(schema, operation, limits);
    const outputSchema = outputSchemaOf(schema, document);
    const title = firstSentence(tool) || name;
    const description = tool || name;
    const readOnlyHint = operation.operation === "query";
    return [
      { id, name, title, description, inputSchema, outputSchema, scopes, hints: { readOnlyHint, ...hints } },
    ];
  });
}

/** Returns the first sentence without its full stop. */
function firstSentence(text: string): string {
  const [first] = new Intl.Segmenter("en", { granularity: "sentence" }).segment(text);
  return (first?.segment ?? "").trim().replace(/\.$/, "");
}

function variablesSchema(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  limits: ReadonlyMap<string, JsonObject>,
): Tool["inputSchema"] {
  const properties = variableDefinitions.map(({ variable, type, defaultValue }) => {
    const name = variable.name.value;
    const given = typeFromAST(schema, type as never) as GraphQLInputType;
    const value = { ...schemaOf(given, []), ...limits.get(name) };
    return [name, defaultValue ? { ...value, default: valueFromASTUntyped(defaultValue) } : value] as const;
  });
  const required = variableDefinitions.flatMap(({ variable, type, defaultValue }) =>
    type.kind === Kind.NON_NULL_TYPE && !defaultValue ? [variable.name.value] : [],
  );
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
}

/** `above` contains the enclosing input objects, so that the recursion ends. */
function schemaOf(type: GraphQLInputType, above: readonly string[]): JsonObject {
  if (isNonNullType(type)) return schemaOf(type.ofType, above);
  if (isListType(type)) return { type: "array", items: schemaOf(type.ofType, above) };
  if (isEnumType(type)) return { type: "string", enum: type.getValues().map(({ name }) => name) };
  if (!isInputObjectType(type)) return scalarSchema(type);
  const { name } = type;
  if (above.includes(name)) return { type: "object" };
  const fields = Object.values(type.getFields());
  const properties = fields.map(({ name: field, type: of, description }) => [
    field,
    { ...schemaOf(of, [...above, name]), ...(description && { description }) },
  ]);
  const required = fields.filter(isRequiredInputField).map((field) => field.name);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
    ...(type.isOneOf && { minProperties: 1, maxProperties: 1 }),
  };
}
