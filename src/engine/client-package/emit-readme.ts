/** Emits the README of the client package, which lists the documents and shows the first query in each client library. */
import { Kind, type OperationDefinitionNode, print } from "graphql";
import type { SavedOperation } from "../build/schema/saved-operations.ts";
import { textAbove } from "../build/schema/tool-comment.ts";

/** `headers`: the credential headers of the first bound operation, such as `x-api-key`. */
export function emitReadme(
  name: string,
  saved: readonly SavedOperation[],
  headers: readonly string[],
): string {
  const head = `# ${name}

The GraphQL schema (\`${name}/schema.graphql\`), its enums as constants, and the saved operations as typed documents.
A client library infers the types of variables and result from a document: a missing variable does not compile.
\`persistedIds\` has the id of each operation by its name.
`;
  const query = saved.find(({ definition }) => definition.operation === "query") ?? saved[0];
  return query
    ? `${head}\n${documents(saved)}\n\n${examples(name, query, headers.map(headerText).join(", ")).join("\n\n")}\n`
    : head;
}

/** Lists the exported documents with their variables and descriptions. */
function documents(saved: readonly SavedOperation[]): string {
  const operations = saved.map(({ name, definition }) => {
    const variables = (definition.variableDefinitions ?? []).map(print).join(", ");
    const taken = variables === "" ? "" : ` with \`${variables}\``;
    return `- \`${name}Document\`: a ${definition.operation}${taken}. ${textAbove(definition)}`.trimEnd();
  });
  const fragments = saved.flatMap(({ document }) =>
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION
        ? [`- \`${each.name.value}FragmentDoc\`: a fragment on ${each.typeCondition.name.value}.`]
        : [],
    ),
  );
  return ["## Documents", "", ...operations, ...new Set(fragments)].join("\n");
}

const headerText = (header: string): string =>
  header === "authorization" ? `Authorization: \`Bearer \${key}\`` : `"${header}": key`;

function examples(name: string, { name: operation, definition }: SavedOperation, headers: string): string[] {
  const document = `${operation}Document`;
  const variables = variablesOf(definition);
  const isMutation = definition.operation === "mutation";
  const imported = `import { ${document} } from "${name}";`;
  const importedWithTypes = `import { ${document}, possibleTypes } from "${name}";`;
  const apollo = isMutation
    ? `client.mutate({ mutation: ${document}, variables: ${variables} })`
    : `client.query({ query: ${document}, variables: ${variables} })`;
  const urql = `client.${isMutation ? "mutation" : "query"}(${document}, ${variables}).toPromise()`;
  return [
    example(
      "Apollo Client",
      `import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
${importedWithTypes}

const link = new HttpLink({ uri: url, headers: { ${headers} } });
const client = new ApolloClient({ link, cache: new InMemoryCache({ possibleTypes }) });
const { data } = await ${apollo};`,
    ),
    example(
      "urql",
      `import { Client, cacheExchange, fetchExchange } from "@urql/core";
${imported}

const fetchOptions = { headers: { ${headers} } };
const client = new Client({ url, fetchOptions, exchanges: [cacheExchange, fetchExchange] });
const { data, error } = await ${urql};`,
    ),
    example(
      "graphql-request",
      `import { GraphQLClient } from "graphql-request";
${imported}

const client = new GraphQLClient(url, { headers: { ${headers} } });
const data = await client.request(${document}, ${variables});`,
    ),
  ];
}

const example = (title: string, code: string): string => `## ${title}\n\n\`\`\`ts\n${code}\n\`\`\``;

/** Returns the variables for a usage example, such as `{ from, to }` for `query ($from: String, $to: String)`. */
function variablesOf({ variableDefinitions = [] }: OperationDefinitionNode): string {
  const names = variableDefinitions.map(({ variable }) => variable.name.value);
  return names.length > 0 ? `{ ${names.join(", ")} }` : "{}";
}
