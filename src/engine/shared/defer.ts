/**
 * The directive `@defer` of GraphQL's incremental delivery, with which a client gets parts of a response later. This file
 * contains its definition as in graphql-js 17, and its validation rules, which graphql-js 16 lacks.
 */
import {
  type ASTVisitor,
  type DirectiveNode,
  type DocumentNode,
  GraphQLError,
  Kind,
  parse,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from "graphql";

export const deferName = "defer";

const { definitions } = parse(
  `
"Sends the fragment's fields in a later part of the response, to clients that accept \`multipart/mixed\`."
directive @defer(
  "With \`false\`, the fragment is not deferred."
  if: Boolean! = true
  "Identifies the fragment in the response. Labels of one document differ."
  label: String
) on FRAGMENT_SPREAD | INLINE_FRAGMENT`,
  { noLocation: true },
);

/** Adds the definition of `@defer` to a schema document, unless the document has one. */
export const withDefer = (document: DocumentNode): DocumentNode => {
  const isDefined = document.definitions.some(
    (node) => node.kind === Kind.DIRECTIVE_DEFINITION && node.name.value === deferName,
  );
  return isDefined ? document : { ...document, definitions: [...definitions, ...document.definitions] };
};

export const deferDirectiveOf = ({
  directives,
}: {
  readonly directives?: readonly DirectiveNode[] | undefined;
}): DirectiveNode | undefined => directives?.find(({ name }) => name.value === deferName);

/** Rejects a label of `@defer` that is a variable, or that occurs twice in the document. */
function deferLabelRule(context: ValidationContext): ASTVisitor {
  const known = new Map<string, DirectiveNode>();
  return {
    Directive(node) {
      if (node.name.value !== deferName) return;
      const value = node.arguments?.find(({ name }) => name.value === "label")?.value;
      if (!value || value.kind === Kind.NULL) return;
      if (value.kind !== Kind.STRING)
        return context.reportError(
          new GraphQLError('Argument "@defer(label:)" must be a static string.', { nodes: node }),
        );
      const first = known.get(value.value);
      known.set(value.value, node);
      if (first)
        context.reportError(
          new GraphQLError('Argument "@defer(label:)" must be unique in the document.', {
            nodes: [first, node],
          }),
        );
    },
  };
}

/** Rejects `@defer` on the root fields of subscriptions, and on those of mutations, because mutations are executed serially. */
function deferOnRootRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition({ operation, selectionSet }) {
      const type = context.getSchema().getRootType(operation);
      if (operation === "query" || !type) return;
      const message = `Defer directive cannot be used on root ${operation} type "${type.name}".`;
      const visited = new Set<string>();
      const visit = ({ selections }: SelectionSetNode): void => {
        for (const selection of selections) {
          if (selection.kind === Kind.FIELD) continue;
          const defer = deferDirectiveOf(selection);
          if (defer) context.reportError(new GraphQLError(message, { nodes: defer }));
          if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet);
          else if (!visited.has(selection.name.value)) {
            visited.add(selection.name.value);
            const fragment = context.getFragment(selection.name.value);
            if (fragment) visit(fragment.selectionSet);
          }
        }
      };
      visit(selectionSet);
    },
  };
}

export const deferRules: readonly ValidationRule[] = [deferLabelRule, deferOnRootRule];
