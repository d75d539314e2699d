/** Adds the schema's descriptions as comments to the result types, because graphql-codegen's plugin omits them. */
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  Kind,
  parse,
  type SelectionSetNode,
} from "graphql";
import ts from "typescript";
import { operationTypeName, savedDefinitions } from "../build/codegen/emit-documents.ts";
import { comment } from "../build/codegen/typescript-text.ts";
import type { SavedOperation } from "../build/schema/saved-operations.ts";

/** `text`: the result types. For a field of several union members, the comment has all descriptions. */
export function withFieldComments(
  text: string,
  schema: GraphQLSchema,
  saved: readonly SavedOperation[],
): string {
  const descriptions = descriptionsOf(schema, saved);
  const source = ts.createSourceFile("index.ts", text, ts.ScriptTarget.ES2022);
  const inserted: [position: number, comment: string][] = [];
  const read = (node: ts.Node, path: string): void => {
    if (!ts.isPropertySignature(node)) return ts.forEachChild(node, (child) => read(child, path));
    const field = `${path}.${(node.name as ts.Identifier).text}`;
    const found = descriptions.get(field);
    if (found) inserted.push([node.getStart(source), `\n${comment(...found)}\n`]);
    ts.forEachChild(node, (child) => read(child, field));
  };
  for (const type of source.statements.filter(ts.isTypeAliasDeclaration)) read(type.type, type.name.text);
  return inserted.reduceRight(
    (text, [position, line]) => `${text.slice(0, position)}${line}${text.slice(position)}`,
    text,
  );
}

/** Maps the result type and path of a field to the field's descriptions. An example of a key is `BookQuery.author.name`. */
function descriptionsOf(schema: GraphQLSchema, saved: readonly SavedOperation[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const { definitions } = parse(savedDefinitions(saved), { noLocation: true });
  const fragments = definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  const read = (
    { selections }: SelectionSetNode,
    type: GraphQLNamedType | null | undefined,
    path: string,
  ): void => {
    for (const each of selections) {
      if (each.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.find(({ name }) => name.value === each.name.value);
        if (fragment) read(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value), path);
      } else if (each.kind === Kind.INLINE_FRAGMENT) {
        const { typeCondition } = each;
        read(each.selectionSet, typeCondition ? schema.getType(typeCondition.name.value) : type, path);
      } else {
        const field = type && "getFields" in type ? type.getFields()[each.name.value] : undefined;
        const at = `${path}.${(each.alias ?? each.name).value}`;
        if (field?.description) found.set(at, (found.get(at) ?? new Set()).add(field.description));
        if (each.selectionSet) read(each.selectionSet, getNamedType(field?.type), at);
      }
    }
  };
  for (const operation of saved)
    read(
      operation.definition.selectionSet,
      schema.getRootType(operation.definition.operation),
      operationTypeName(operation),
    );
  for (const { name, typeCondition, selectionSet } of fragments)
    read(selectionSet, schema.getType(typeCondition.name.value), `${name.value}Fragment`);
  return found;
}
