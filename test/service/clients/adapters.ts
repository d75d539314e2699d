/** Stock clients behind one interface: each with its defaults, and each error as the client's own object gives it. */
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { Client, CombinedError, cacheExchange, fetchExchange } from "@urql/core";
import { ClientError, GraphQLClient } from "graphql-request";

type ClientErrors = readonly {
  message: string;
  path?: readonly (string | number)[] | undefined;
  extensions?: Record<string, unknown> | undefined;
}[];

export type Reply = {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads data of many shapes
  data?: any;
  /** The GraphQL errors in the client's own error object. */
  errors?: ClientErrors | undefined;
};

export type Asked = {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  readonly isMutation?: boolean;
  readonly signal?: AbortSignal;
};

/** An error that is not the client's object for GraphQL errors rejects. */
export type Adapter = {
  readonly name: string;
  /** What an aborted request comes to: the name of the client's error, or no result at all. */
  readonly aborted: string;
  readonly open: (url: string, key: string) => (asked: Asked) => Promise<Reply>;
};

/** Apollo's documentation asks for the members of each union; without them it warns. */
const possibleTypes = { MessageAuthor: ["ContactAuthor", "AgentAuthor", "UserAuthor"] };

export const apollo: Adapter = {
  name: "Apollo Client",
  aborted: "AbortError",
  open: (uri, key) => {
    const link = new HttpLink({ uri, headers: { "X-API-Key": key } });
    const client = new ApolloClient({ link, cache: new InMemoryCache({ possibleTypes }) });
    return async ({ query, variables = {}, isMutation, signal }) => {
      const document = gql(query);
      const context = signal ? { fetchOptions: { signal } } : {};
      try {
        return isMutation
          ? await client.mutate({ mutation: document, variables, context })
          : await client.query({ query: document, variables, context });
      } catch (error) {
        if (!CombinedGraphQLErrors.is(error)) throw error;
        return { data: error.data, errors: error.errors };
      }
    };
  },
};

const urql: Adapter = {
  name: "urql",
  aborted: "no result",
  open: (url, key) => {
    const fetchOptions = { headers: { "X-API-Key": key } };
    const client = new Client({ url, fetchOptions, exchanges: [cacheExchange, fetchExchange] });
    return ({ query, variables = {}, isMutation, signal }) =>
      new Promise((resolve, reject) => {
        const source = isMutation ? client.mutation(query, variables) : client.query(query, variables);
        const { unsubscribe } = source.subscribe(({ data, error }) => {
          if (!error) resolve({ data });
          else if (error instanceof CombinedError && !error.networkError)
            resolve({ data, errors: error.graphQLErrors as ClientErrors });
          else reject(error);
        });
        signal?.addEventListener("abort", () => {
          unsubscribe();
          setTimeout(() => reject(Object.assign(new Error(), { name: "no result" })), 100);
        });
      });
  },
};

const graphqlRequest: Adapter = {
  name: "graphql-request",
  aborted: "AbortError",
  open: (url, key) => {
    const client = new GraphQLClient(url, { headers: { "X-API-Key": key } });
    return async ({ query, variables = {}, signal }) => {
      try {
        return { data: await client.request({ document: query, variables, ...(signal && { signal }) }) };
      } catch (error) {
        if (!(error instanceof ClientError) || !error.response.errors) throw error;
        return { data: error.response.data, errors: error.response.errors as ClientErrors };
      }
    };
  },
};

export const adapters: readonly Adapter[] = [apollo, urql, graphqlRequest];
