/** Apollo Client for the API: the caller's key, and a cache that puts the pages of a list together. */
import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import { possibleTypes } from "messaging-graphql-client";

export const createClient = (uri: string, key: string): ApolloClient =>
  new ApolloClient({
    link: new HttpLink({ uri, headers: { "X-API-Key": key } }),
    cache: new InMemoryCache({
      possibleTypes,
      typePolicies: {
        Query: { fields: { contactsConnection: relayStylePagination(["q", "stage", "sort"]) } },
      },
    }),
  });
