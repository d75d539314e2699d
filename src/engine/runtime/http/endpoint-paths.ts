/** The paths that the layer itself answers, and the paths in front of them. */

export const graphqlPath = "/v1/graphql";
/** Tools for agents, with `MCP=on`. */
export const mcpPath = "/v1/mcp";

/** The path prefix of an upstream; a GraphQL URL may be given as the role's address or as the endpoint itself. */
export const prefixOf = ({ pathname }: URL): string => pathname.replace(/(?:\/v1\/graphql)?\/?$/, "");
