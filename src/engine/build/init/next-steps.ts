/** Prints what `init` wrote, and the commands that come next. */
import { quoteArgument } from "../../shared/cli/printable.ts";
import type { NamedDocument } from "../openapi/document-files.ts";
import type { StartedProject } from "./start-project.ts";

/**
 * Returns what `init` wrote and what to do next. `at` is printed before `npm start`, and sets an environment variable for that
 * command. `ofErrors` describes which error members clients see, and which they do not.
 */
export function nextSteps(
  { bound, unbound, leftOut, links, keyLinks, example }: StartedProject,
  at: string,
  { overlay }: NamedDocument,
  ofErrors: readonly string[],
): string[] {
  return [
    `spec/schema.graphql has ${bound.length} field${bound.length === 1 ? "" : "s"}${unbound === 0 ? ", one for each operation" : `, spec/rest-only.yaml the other ${unbound} operation${unbound === 1 ? "" : "s"}`}`,
    ...[...leftOut].map(([id, reason]) => `left out: ${id}: ${reason}`),
    ...(leftOut.size > 0
      ? [`fix it:    correct the document in spec/${overlay}; npm run propose then prints a field`]
      : []),
    ...ofErrors.map((each) => `errors:    ${each}`),
    `start it:  ${at}npm start`,
    ...(example === undefined ? [] : [`ask it:    ${example.command}`]),
    ...(example?.credentials ?? []).map((each) => `its key:   ${each}`),
    `shape it:  ${at}npm run dev`,
    ...linkedLines(keyLinks),
    ...(links.length > 0
      ? [
          `link it:   npm run propose -- ${links.map(quoteArgument).join(" ")} prints a link below a type of the schema for each`,
        ]
      : []),
    "prove it:  npm run check",
    "test it:   npm test",
  ];
}

function linkedLines({ fields, comments }: StartedProject["keyLinks"]): string[] {
  const parts = [
    ...(fields > 0 ? [`${fields} as field${fields === 1 ? "" : "s"}`] : []),
    ...(comments > 0 ? [`${comments} as comment${comments === 1 ? "" : "s"}, for you to decide`] : []),
  ];
  return parts.length > 0 ? [`linked by keys at the end of spec/schema.graphql: ${parts.join("; ")}`] : [];
}
