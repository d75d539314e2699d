/**
 * Refuses documents of saved operations that no command can work on: the time of validation, of graphql-codegen and of the
 * reports grows with the fields of an operation, with its fragments unfolded, and a few lines of fragments unfold to
 * millions. Each fragment is counted once, so this count grows with the document's length.
 */
import { type DocumentNode, GraphQLError, Kind, type SelectionSetNode } from "graphql";

/** Fields of one operation, and of all operations of a file, with fragments unfolded. The server takes 5,000 by default. */
const mostFields = { ofOperation: 10_000, ofFile: 100_000 };

export function documentLimitErrors(document: DocumentNode): GraphQLError[] {
  const counted = new Map<string, number>();
  const fragments = new Map<string, SelectionSetNode>();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node.selectionSet);

  const countFields = ({ selections }: SelectionSetNode): number => {
    let fields = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) fields += countFragment(selection.name.value);
      else fields += selection.kind === Kind.FIELD ? 1 : 0;
      if ("selectionSet" in selection && selection.selectionSet)
        fields += countFields(selection.selectionSet);
    }
    return fields;
  };
  const countFragment = (name: string): number => {
    const fragment = fragments.get(name);
    if (!fragment) return 0;
    if (!counted.has(name)) {
      counted.set(name, 0); // a fragment within itself is the validation's to report
      counted.set(name, countFields(fragment));
    }
    return counted.get(name) ?? 0;
  };

  let fields = 0;
  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    const own = countFields(node.selectionSet);
    fields += own;
    if (own > mostFields.ofOperation) return [tooMany("an operation", mostFields.ofOperation, node)];
    if (fields > mostFields.ofFile) return [tooMany("the operations of a file", mostFields.ofFile, node)];
  }
  return [];
}

const tooMany = (what: string, most: number, nodes: DocumentNode["definitions"][number]): GraphQLError =>
  new GraphQLError(`${what} may have at most ${most} fields, with fragments unfolded`, { nodes });
