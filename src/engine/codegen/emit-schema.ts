/**
 * `generated/schema.graphql`: the schema as clients see it, without the binding directives. A bound field's description
 * names its REST operation and the permission for it, because the explorer does not show the OpenAPI document.
 */
import {
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  visit,
} from "graphql";
import type { Input, Model } from "../bind/model.ts";
import { methodAndPath } from "../openapi/operation.ts";
import { publicSchema } from "../schema/public-schema.ts";
import { membersOf } from "../standards/json-object.ts";
import { steering } from "../standards/steering.ts";

type ObjectNode = ObjectTypeDefinitionNode | ObjectTypeExtensionNode;

export function emitSchema(model: Model): string {
  const withOperations = <Node extends ObjectNode>(type: Node): Node => ({
    ...type,
    ...(type.fields && { fields: type.fields.map((field) => describe(model, type.name.value, field)) }),
  });
  return publicSchema(
    visit(model.schemaDocument, {
      ObjectTypeDefinition: withOperations,
      ObjectTypeExtension: withOperations,
      // a block string has no escapes
      StringValue: (node) =>
        node.block && node.value.search(steering) >= 0 ? { ...node, block: false } : undefined,
    }),
  );
}

function describe(model: Model, type: string, field: FieldDefinitionNode): FieldDefinitionNode {
  const bound = model.fields.get(`${type}.${field.name.value}`);
  if (bound?.kind !== "bound") return field;
  const { id, permission } = bound.operation;
  const at = methodAndPath(bound.operation);
  const rest = `REST: \`${at}\`${id === at ? "" : ` (${id})`}.`;
  const access = permission === undefined ? "" : ` Needs the permission \`${permission}\`.`;
  const value = `${field.description ? `${field.description.value}\n\n` : ""}${rest}${access}`;
  const fedBy = new Map(
    bound.inputs
      .flatMap((input) =>
        input.source.kind === "argument" ? [[input.source.path.join("."), input] as const] : [],
      )
      .reverse(), // of two the first counts
  );
  return {
    ...field,
    description: { kind: Kind.STRING, value, block: true },
    ...(field.arguments && {
      arguments: field.arguments.map((argument) => describeArgument(fedBy, argument)),
    }),
  };
}

/** An argument without a description has that of the parameter or property that it feeds. */
function describeArgument(
  fedBy: ReadonlyMap<string, Input>,
  argument: InputValueDefinitionNode,
): InputValueDefinitionNode {
  const { name, description } = argument;
  const fed = fedBy.get(name.value);
  const value = membersOf(fed?.node.value).description;
  if (description || typeof value !== "string" || value.trim() === "") return argument;
  return { ...argument, description: { kind: Kind.STRING, value: value.trim(), block: true } };
}
