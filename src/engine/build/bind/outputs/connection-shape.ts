/** Builds the schema of a connection: REST's page with the properties that `src/engine/runtime/rest/connection.ts` adds. */

import type { RestNode } from "../../openapi/document.ts";
import { makeProperty, type Property, Shape, withNullable } from "../../openapi/shapes/shape.ts";
import { syntheticIdentity } from "../../openapi/shapes/shape-identity.ts";
import type { ResponseValue } from "./response-value.ts";

/** For a response that is itself a list, returns a page without properties. */
export function pageOfBareList({ node, nullable }: Shape, item: Shape): Shape {
  return withNullable(objectShape(`list(${identityOf(item)})`, node, []), nullable);
}

const identityOf = ({ identity, nullable }: Shape): string => identity.text + (nullable ? " or null" : "");

export function connectionShape(
  page: Shape,
  list: Pick<ResponseValue, "shape" | "optional">,
  item: Shape,
): Shape {
  const { node } = list.shape;
  const added = (name: string, shape: Shape, required = true): [string, Property] => [
    name,
    makeProperty({ name, node, required }, () => shape),
  ];
  const text = (nullable: boolean): Shape => new Shape({ node, types: ["string"], nullable });
  const flag = new Shape({ node, types: ["boolean"] });
  const edge = objectShape(`edge(${identityOf(item)})`, node, [
    added("node", item),
    added("cursor", text(false)),
  ]);
  const pageInfo = objectShape("pageInfo", node, [
    added("hasNextPage", flag),
    added("hasPreviousPage", flag),
    added("startCursor", text(true)),
    added("endCursor", text(true)),
  ]);
  const edges = new Shape({
    node,
    identity: syntheticIdentity(`edges(${identityOf(item)})`),
    types: ["array"],
    nullable: list.shape.nullable,
    limits: list.shape.limits,
    items: () => edge,
  });
  const connection = objectShape(`connection(${page.identity.text})`, page.node, [
    ...page.properties,
    added("nodes", list.shape, !list.optional),
    added("edges", edges, !list.optional),
    added("pageInfo", pageInfo),
  ]);
  return withNullable(connection, page.nullable);
}

const objectShape = (identity: string, node: RestNode, properties: readonly [string, Property][]): Shape =>
  new Shape({
    node,
    identity: syntheticIdentity(identity),
    types: ["object"],
    properties: () => new Map(properties),
  });
