/** A page of Apollo Client: shows each result of a query with a deferred panel. */
import { ApolloClient, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { GraphQL17Alpha9Handler } from "@apollo/client/incremental";
import { headers, query, show, uri } from "./settings.js";

const client = new ApolloClient({
  link: new HttpLink({ uri, headers }),
  cache: new InMemoryCache(),
  incrementalHandler: new GraphQL17Alpha9Handler(),
});
client
  .watchQuery({ query: gql(query) })
  .subscribe(({ data, dataState }) => show({ data, isWhole: dataState === "complete" }));
