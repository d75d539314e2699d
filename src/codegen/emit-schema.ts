/**
 * `generated/schema.graphql`: the schema as clients see it, without the binding directives. A bound field's description
 * says which permission its REST operation needs, because the explorer shows no OpenAPI document.
 */
import {
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  visit,
} from "graphql";
import { publicSchema } from "../spec/directives.ts";
import type { Model } from "../spec/model.ts";

type ObjectNode = ObjectTypeDefinitionNode | ObjectTypeExtensionNode;

export function emitSchema(model: Model): string {
  const withPermissions = <Node extends ObjectNode>(type: Node): Node => ({
    ...type,
    ...(type.fields && { fields: type.fields.map((field) => describe(model, type.name.value, field)) }),
  });
  return publicSchema(
    visit(model.schemaDocument, {
      ObjectTypeDefinition: withPermissions,
      ObjectTypeExtension: withPermissions,
    }),
  );
}

function describe(model: Model, type: string, field: FieldDefinitionNode): FieldDefinitionNode {
  const bound = model.fields.get(`${type}.${field.name.value}`);
  const permission = bound?.kind === "bound" ? bound.operation.permission : undefined;
  if (permission === undefined) return field;
  const lines = [
    ...(field.description ? [field.description.value] : []),
    `Needs the permission \`${permission}\`.`,
  ];
  return { ...field, description: { kind: Kind.STRING, value: lines.join("\n"), block: true } };
}
