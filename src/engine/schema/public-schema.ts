/** The schema as clients see it: without the binding directives and their types. */
import { type DocumentNode, print, visit } from "graphql";
import { bindingDefinitionNames } from "./directives.ts";

export function publicSchema(document: DocumentNode): string {
  const drop = (node: { name: { value: string } }) =>
    bindingDefinitionNames.has(node.name.value) ? null : undefined;
  const visible = visit(document, {
    Directive: drop,
    DirectiveDefinition: drop,
    InputObjectTypeDefinition: drop,
    EnumTypeDefinition: drop,
    ScalarTypeDefinition: drop,
  });
  return `${print(visible)}\n`;
}
