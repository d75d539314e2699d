/**
 * When an item of a list fails synchronously, graphql-js 16 abandons the promises of the items before it. If such a
 * promise rejects later, no code handles the rejection. It must not end the process.
 */
let isInstalled = false;

/** Ignores abandoned GraphQL errors, once a process. Any other unhandled rejection still ends the process. */
export function letAbandonedErrorsGo(): void {
  if (isInstalled) return;
  isInstalled = true;
  process.on("unhandledRejection", (reason) => {
    if (!(reason instanceof Error && reason.name === "GraphQLError")) throw reason;
  });
}
