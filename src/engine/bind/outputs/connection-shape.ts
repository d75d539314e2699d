/** The shape of a connection: REST's page with the values that `src/engine/rest/connection.ts` makes. */
import type { RestNode } from "../../openapi/document.ts";
import {
  emptyShape,
  type JsonType,
  makeProperty,
  type Property,
  type Shape,
} from "../../openapi/shapes/shape.ts";
import { madeIdentity } from "../../openapi/shapes/shape-identity.ts";
import type { ResponseValue } from "./response-value.ts";

/** The shape of a page, if the list is the whole response. The page has no other properties. */
export function barePage({ node, nullable }: Shape, item: Shape): Shape {
  return { ...objectShape(`list(${identityOf(item)})`, node, []), nullable };
}

const identityOf = ({ identity, nullable }: Shape): string => identity.text + (nullable ? " or null" : "");

/** The shape of the connection that the REST client makes of a page: `edges`, `nodes` and `pageInfo` are added. */
export function connectionShape(
  page: Shape,
  list: Pick<ResponseValue, "shape" | "optional">,
  item: Shape,
): Shape {
  const { node } = list.shape;
  const made = (name: string, shape: Shape, required = true): [string, Property] => [
    name,
    makeProperty(name, node, required, () => shape, null),
  ];
  const text = (nullable: boolean): Shape => ({ ...emptyShape(node), types: new Set(["string"]), nullable });
  const flag: Shape = { ...emptyShape(node), types: new Set(["boolean"]) };
  const edge = objectShape(`edge(${identityOf(item)})`, node, [
    made("node", item),
    made("cursor", text(false)),
  ]);
  const pageInfo = objectShape("pageInfo", node, [
    made("hasNextPage", flag),
    made("hasPreviousPage", flag),
    made("startCursor", text(true)),
    made("endCursor", text(true)),
  ]);
  const edges: Shape = {
    ...emptyShape(node),
    ...listOf(list.shape, edge),
    identity: madeIdentity(`edges(${identityOf(item)})`),
  };
  return {
    ...objectShape(`connection(${page.identity.text})`, page.node, [
      ...page.properties,
      made("nodes", list.shape, !list.optional),
      made("edges", edges, !list.optional),
      made("pageInfo", pageInfo),
    ]),
    nullable: page.nullable,
  };
}

const listOf = ({ nullable, limits }: Shape, items: Shape) => ({
  types: new Set<JsonType>(["array"]),
  nullable,
  limits,
  items,
});

const objectShape = (identity: string, node: RestNode, properties: readonly [string, Property][]): Shape => ({
  ...emptyShape(node),
  identity: madeIdentity(identity),
  types: new Set(["object"]),
  properties: new Map(properties),
});
