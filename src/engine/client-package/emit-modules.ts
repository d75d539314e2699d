/**
 * Emits the client package's modules as TypeScript: enums as constants, the members of unions, and the saved operations as
 * documents with the types of their variables and results. Client libraries infer types of variables and results from
 * `TypedDocumentNode`.
 */
import * as typescript from "@graphql-codegen/typescript";
import * as typescriptOperations from "@graphql-codegen/typescript-operations";
import {
  buildASTSchema,
  buildSchema,
  type DocumentNode,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type ListTypeNode,
  type NamedTypeNode,
  parse,
  type TypeNode,
  visit,
} from "graphql";
import { mergeOutputs, operationTypeOptions } from "../build/codegen/codegen-config.ts";
import { documentId, operationTypeName, savedDefinitions } from "../build/codegen/emit-documents.ts";
import { guardedPlugin } from "../build/codegen/inherited-names.ts";
import { comment, literal, objectLiteral } from "../build/codegen/typescript-text.ts";
import type { SavedOperation } from "../build/schema/saved-operations.ts";
import { semanticNonNullLevels } from "../shared/semantic-non-null.ts";
import { emitErrors } from "./emit-errors.ts";
import { withFieldComments } from "./field-comments.ts";

/** The package that exports `TypedDocumentNode`, and its version. */
export const typedDocumentPackage = { name: "@graphql-typed-document-node/core", version: "3.2.0" };

/** Returns the modules' texts by name. `schema`: the schema that clients see, as SDL. */
export async function emitModules(
  schema: string,
  saved: readonly SavedOperation[],
  semanticNonNull: boolean,
): Promise<Map<string, string>> {
  const built = semanticNonNull ? withoutFailures(schema) : buildSchema(schema);
  return new Map([
    ["errors", emitErrors()],
    ["schema", `${await emitEnums(built)}\n${emitPossibleTypes(built)}`],
    ["index", `${await emitTypes(built, saved)}\n${emitDocuments(saved)}`],
  ]);
}

/** The schema for clients that throw on errors: fields that are null only after an error become non-null. */
const withoutFailures = (schema: string): GraphQLSchema =>
  buildASTSchema(
    visit(parse(schema), {
      FieldDefinition: (field) => {
        const levels = semanticNonNullLevels(field);
        return levels.length > 0 ? { ...field, type: withoutNulls(field.type, levels) } : undefined;
      },
    }),
  );

function withoutNulls(type: TypeNode, levels: readonly number[], level = 0): TypeNode {
  const bare = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  const inner: NamedTypeNode | ListTypeNode =
    bare.kind === Kind.LIST_TYPE ? { ...bare, type: withoutNulls(bare.type, levels, level + 1) } : bare;
  const isNonNull = type.kind === Kind.NON_NULL_TYPE || levels.includes(level);
  return isNonNull ? { kind: Kind.NON_NULL_TYPE, type: inner } : inner;
}

async function emitEnums(schema: GraphQLSchema): Promise<string> {
  const options = { ...operationTypeOptions, onlyEnums: true, enumsAsConst: true };
  return mergeOutputs([await guardedPlugin(typescript.plugin)(schema, [], options)]);
}

/** Emits the members of abstract types, in the format of Apollo Client's cache. */
function emitPossibleTypes(schema: GraphQLSchema): string {
  const abstract = Object.values(schema.getTypeMap()).filter(isAbstractType);
  const entries = abstract.map((type) => {
    const members = schema.getPossibleTypes(type).map(({ name }) => name);
    return [type.name, literal(members)] as const;
  });
  return `/** The object types of each union and interface, for Apollo Client's cache. */
export const possibleTypes: Record<string, string[]> = ${objectLiteral(entries)};
`;
}

/** Emits the types of variables and results. The plugin imports each enum from `schema.js` and re-exports it. */
async function emitTypes(schema: GraphQLSchema, saved: readonly SavedOperation[]): Promise<string> {
  const head = 'export * from "./errors.js";\nexport * from "./schema.js";';
  if (saved.length === 0) return head;
  const documents = [{ document: parse(savedDefinitions(saved)) }];
  const options = { ...operationTypeOptions, useTypeImports: false, enumValues: "./schema.js" };
  const types = await guardedPlugin(typescriptOperations.plugin)(schema, documents, options, {
    outputFile: "index.ts",
  });
  const described = withFieldComments(mergeOutputs([types]), schema, saved);
  return `import type { TypedDocumentNode } from "${typedDocumentPackage.name}";\n${head}\n${described}`;
}

function emitDocuments(saved: readonly SavedOperation[]): string {
  const documents = saved.map((operation) => {
    const type = operationTypeName(operation);
    const document = { ...withoutLocations(operation.document), __meta__: { hash: documentId(operation) } };
    return `${comment(`${operation.name}, from spec/${operation.file}.`)}
export const ${operation.name}Document = ${literal(document)} as unknown as PersistedDocument<${type}, ${type}Variables>;`;
  });
  const ids = saved.map((operation) => [operation.name, literal(documentId(operation))] as const);
  return `/** A document with its operation's id, in the same place as in graphql-codegen's client preset. */
export type PersistedDocument<Result, Variables> = TypedDocumentNode<Result, Variables> & {
  readonly __meta__: { readonly hash: string };
};

${[...documents, ...fragmentDocuments(saved)].join("\n\n")}

/** The ids of the persisted operations, by name. */
export const persistedIds = ${objectLiteral(ids)} as const;
`;
}

/** Emits each fragment as a document, for reading and writing a client library's cache. */
function fragmentDocuments(saved: readonly SavedOperation[]): string[] {
  const all = new Map(
    saved.flatMap(({ document }) =>
      document.definitions.flatMap((each) =>
        each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
      ),
    ),
  );
  return [...all].map(([name, fragment]) => {
    const found = new Set([fragment]);
    for (const each of found)
      visit(each, {
        FragmentSpread: ({ name: { value } }) => {
          const spread = all.get(value);
          if (spread) found.add(spread);
        },
      });
    const document = withoutLocations({ kind: Kind.DOCUMENT, definitions: [...found] });
    return `${comment(`The fragment ${name}.`)}
export const ${name}FragmentDoc = ${literal(document)} as unknown as TypedDocumentNode<${name}Fragment, unknown>;`;
  });
}

/** Removes source locations in the spec, which are useless to clients. */
const withoutLocations = (document: DocumentNode): object =>
  JSON.parse(JSON.stringify(document, (key, value) => (key === "loc" ? undefined : value)));
