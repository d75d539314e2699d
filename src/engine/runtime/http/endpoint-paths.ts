/** The paths of this layer's endpoints, and upstream path prefixes. */

export const graphqlPath = "/v1/graphql";
/** Tools for agents, with `MCP=on`. */
export const mcpPath = "/v1/mcp";
export const mcpMethods = "POST";

/** The path prefix of an upstream. A GraphQL URL may be the role's base URL or the endpoint itself. */
export const prefixOf = ({ pathname }: URL): string => pathname.replace(/(?:\/v1\/graphql)?\/?$/, "");
