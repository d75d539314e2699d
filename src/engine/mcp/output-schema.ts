/** The JSON Schema (2020-12) of the response to a saved operation (GraphQL §7.1). */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  getOperationAST,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  type OperationDefinitionNode,
  TypeNameMetaFieldDef,
  visit,
} from "graphql";
import { collectSubfields } from "graphql/execution/collectFields.js";
import { fragmentsOf } from "../runtime/graphql/plan/plan-cache.ts";
import { dateScalars } from "../shared/date-scalars.ts";
import { own } from "../shared/own.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** JSON types of the built-in scalars that are not strings. */
const jsonTypes: Readonly<Record<string, string>> = {
  Int: "integer",
  Float: "number",
  Boolean: "boolean",
};

/** Custom scalars except `DateTime` and `Date` can be any JSON value, so their schema is empty. */
export function scalarSchema(type: GraphQLScalarType): JsonObject {
  const isKnown = isSpecifiedScalarType(type) || dateScalars.has(type.name);
  return isKnown ? { type: own(jsonTypes, type.name) ?? "string" } : {};
}

const errors = {
  type: "array",
  items: {
    type: "object",
    properties: {
      message: { type: "string" },
      path: { type: "array" },
      extensions: { type: "object", properties: { code: { type: "string" } } },
    },
  },
};

/** Replaces every `@skip` and `@include` by `@include(if: $all)`, so `all: false` excludes all conditional selections. */
const uncertain = {
  kind: Kind.DIRECTIVE,
  name: { kind: Kind.NAME, value: "include" },
  arguments: [
    {
      kind: Kind.ARGUMENT,
      name: { kind: Kind.NAME, value: "if" },
      value: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: "all" } },
    },
  ],
} as const;

export function outputSchemaOf(schema: GraphQLSchema, document: DocumentNode) {
  const conditioned = visit(document, {
    Directive: ({ name }) => (/^(skip|include)$/.test(name.value) ? uncertain : undefined),
  });
  const fragments = fragmentsOf(conditioned) as never;
  const operation = getOperationAST(conditioned) as OperationDefinitionNode;
  type Nodes = readonly FieldNode[];

  const below = (type: GraphQLObjectType, nodes: Nodes, all: boolean): ReadonlyMap<string, Nodes> =>
    collectSubfields(schema, fragments, { all }, type, nodes as FieldNode[]);

  /** `sure` contains the nodes that are always selected. */
  function ofObject(type: GraphQLObjectType, nodes: Nodes, sure: Nodes): JsonObject {
    const required = below(type, sure, false);
    const properties = [...below(type, nodes, true)].map(([key, selected]) => {
      const { type: of } = type.getFields()[selected[0]?.name.value ?? ""] ?? TypeNameMetaFieldDef;
      const surely = selected.length === 1 ? selected : (required.get(key) ?? []);
      return [key, ofType(of, selected, surely)] as const;
    });
    return { type: "object", properties: Object.fromEntries(properties), required: [...required.keys()] };
  }

  function ofType(type: GraphQLOutputType, nodes: Nodes, sure: Nodes): JsonObject {
    if (!isNonNullType(type)) return { anyOf: [notNull(type, nodes, sure), { type: "null" }] };
    return notNull(type.ofType, nodes, sure);
  }

  function notNull(type: GraphQLOutputType, nodes: Nodes, sure: Nodes): JsonObject {
    if (isListType(type)) return { type: "array", items: ofType(type.ofType, nodes, sure) };
    if (isObjectType(type)) return ofObject(type, nodes, sure);
    if (isAbstractType(type))
      return { anyOf: schema.getPossibleTypes(type).map((member) => ofObject(member, nodes, sure)) };
    if (isEnumType(type)) return { type: "string", enum: type.getValues().map(({ name }) => name) };
    return scalarSchema(type);
  }

  const root = schema.getRootType(operation.operation);
  // treats the operation like a field, so that `ofType` can describe `data`
  const nodes = [{ ...operation, kind: Kind.FIELD, name: { kind: Kind.NAME, value: "data" } }] as const;
  const data = root ? ofType(root, nodes as never, nodes as never) : {};
  return { type: "object" as const, properties: { data, errors }, required: ["data"] };
}
