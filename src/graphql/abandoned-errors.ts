/**
 * When an item of a list fails at once, graphql-js 16 abandons the promises of the items before it. A field error that
 * one of them comes to later has nobody to answer to, and must not end the process as an unhandled rejection does.
 */
let isInstalled = false;

/** Lets GraphQL's own abandoned errors go, once a process; any other unhandled rejection still ends it. */
export function letAbandonedErrorsGo(): void {
  if (isInstalled) return;
  isInstalled = true;
  process.on("unhandledRejection", (reason) => {
    if (!(reason instanceof Error && reason.name === "GraphQLError")) throw reason;
  });
}
