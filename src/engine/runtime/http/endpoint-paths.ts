/** URL paths of the GraphQL and MCP endpoints. An upstream's URL may add a path prefix. */

export const graphqlPath = "/v1/graphql";
/** The path of the MCP endpoint, which exists only with `MCP=on`. */
export const mcpPath = "/v1/mcp";
export const mcpMethods = "POST";

/** Returns the path prefix of an upstream. The URL of a GraphQL upstream may end with `graphqlPath`. */
export const prefixOf = ({ pathname }: URL): string => pathname.replace(/(?:\/v1\/graphql)?\/?$/, "");
