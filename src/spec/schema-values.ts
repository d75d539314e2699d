/**
 * The values that a schema file writes, held against their types (GraphQL spec §5.6.1): graphql-js has that rule for
 * operations only, throws at the first directive that breaks it and drops a default that does.
 */
import {
  type ConstValueNode,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  type GraphQLType,
  TypeInfo,
  typeFromAST,
  ValidationContext,
  ValuesOfCorrectTypeRule,
  visit,
  visitWithTypeInfo,
} from "graphql";

/** `bare`: the schema of `document` as far as types and definitions of directives go, which is all that is read. */
export function valueErrors(bare: GraphQLSchema, document: DocumentNode): GraphQLError[] {
  const errors: GraphQLError[] = [];
  const check = (type: GraphQLType | undefined, value: ConstValueNode): void => {
    const info = new TypeInfo(bare, type);
    const context = new ValidationContext(bare, document, info, (error) => errors.push(error));
    visit(value, visitWithTypeInfo(info, ValuesOfCorrectTypeRule(context)));
  };
  visit(document, {
    Directive({ name, arguments: given = [] }) {
      const { args = [] } = bare.getDirective(name.value) ?? {};
      for (const { name, value } of given)
        check(args.find((argument) => argument.name === name.value)?.type, value as ConstValueNode);
    },
    InputValueDefinition({ type, defaultValue }) {
      if (defaultValue) check(typeFromAST(bare, type), defaultValue);
    },
  });
  return errors;
}

/** A document whose schema can be built whatever its directives and defaults say. */
export const withoutValues = (document: DocumentNode): DocumentNode =>
  visit(document, {
    Directive: () => null,
    InputValueDefinition: (node) => ({ ...node, defaultValue: undefined }),
  });
