/**
 * Finds the GraphQL fields, arguments and input fields that depend on something deprecated in REST. Reports those without
 * `@deprecated`.
 */
import { type GraphQLArgument, type GraphQLField, type GraphQLInputField, isRequiredArgument } from "graphql";
import { type Deprecation, deprecationOf } from "../../openapi/deprecation.ts";
import { describeNode } from "../../openapi/describe-node.ts";
import type { RestNode } from "../../openapi/document.ts";
import { propertiesOnPath } from "../../openapi/shapes/property-paths.ts";
import { nodeLocation } from "../../schema/directives.ts";
import { inputAt } from "../../schema/schema-coordinate.ts";
import type { Findings } from "../findings.ts";
import type { Backing, Model, PlainField } from "../model.ts";

type Member = GraphQLField<unknown, unknown> | GraphQLArgument | GraphQLInputField;

export function deprecations(
  {
    document,
    schema,
    fields,
    backings,
    values,
  }: Pick<Model, "document" | "schema" | "fields" | "backings" | "values">,
  findings: Findings,
): ReadonlyMap<string, Deprecation> {
  const found = new Map<string, Deprecation>();
  const add = (coordinate: string, member: Member, nodes: readonly RestNode[]): void => {
    const deprecated = nodes.find((node) => deprecationOf([node]));
    const deprecation = deprecated && deprecationOf([deprecated]);
    if (!deprecation || found.has(coordinate)) return;
    found.set(coordinate, deprecation);
    if (typeof member.deprecationReason === "string") return;
    const { sunset } = deprecation;
    findings.add(
      "deprecation-unsaid",
      { coordinate, schema: nodeLocation(member.astNode), rest: deprecated, facts: [] },
      `${coordinate} depends on ${describeNode(document, deprecated)}, which REST deprecates${sunset === undefined ? "" : ` until ${sunset}`}`,
      'tell clients: add `@deprecated(reason: "…")`, with what to use instead',
    );
  };
  for (const field of fields.values()) {
    const { definition } = field;
    if (field.kind === "plain") {
      const nodes = propertyNodes(field, backings.get(field.type) ?? []);
      // a type may have several REST schemas, and the property must be deprecated in each of them
      if (nodes.every((each) => deprecationOf(each))) add(field.coordinate, definition, nodes[0] ?? []);
      continue;
    }
    add(field.coordinate, definition, [field.operation.node]);
  }
  for (const { coordinate, direction, type, node, shape } of values) {
    const member = direction === "request" && type ? inputAt(schema, coordinate) : undefined;
    // the type comparison skips the items of a list; GraphQL forbids `@deprecated` on a required input
    if (member && !isRequiredArgument(member) && `${member.type}` === `${type}`)
      add(coordinate, member, [node, shape.node]);
  }
  return found;
}

/** Returns the OpenAPI nodes of the properties that the field reads, for each REST schema of its type. */
const propertyNodes = ({ path }: PlainField, backings: readonly Backing[]): RestNode[][] =>
  backings.flatMap(({ shape: owner }) => {
    const found = propertiesOnPath(owner, path);
    return found.length === path.length ? [found.flatMap(({ node, shape }) => [node, shape.node])] : [];
  });
