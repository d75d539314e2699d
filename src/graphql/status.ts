/** What Apollo leaves open of GraphQL over HTTP's status codes (§6.4). */
import type { ApolloServerPlugin } from "@apollo/server";
import type { RequestContext } from "./request-context.ts";

export const statusPlugin: ApolloServerPlugin<RequestContext> = {};
