/** URL paths of the GraphQL and MCP endpoints, also behind the path prefix of an upstream. */

export const graphqlPath = "/v1/graphql";
/** The path of the MCP endpoint, which exists only with `MCP=on`. */
export const mcpPath = "/v1/mcp";
export const mcpMethods = "POST";

/** Returns the path prefix of an upstream. A GraphQL URL may be the base URL of the role or the endpoint itself. */
export const prefixOf = ({ pathname }: URL): string => pathname.replace(/(?:\/v1\/graphql)?\/?$/, "");
