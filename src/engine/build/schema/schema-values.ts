/**
 * Checks the directive arguments and default values of a schema file against their types (GraphQL spec §5.6.1).
 * graphql-js checks values in operations only. In a schema it throws at the first wrong directive argument and drops
 * wrong default values.
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

/** `bare`: the schema of `withoutValues(document)`. */
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

/** The document without directives and default values, so that a wrong value does not stop the schema's build. */
export const withoutValues = (document: DocumentNode): DocumentNode =>
  visit(document, {
    Directive: () => null,
    InputValueDefinition: (node) => ({ ...node, defaultValue: undefined }),
  });
