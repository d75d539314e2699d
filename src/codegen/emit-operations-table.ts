/** `generated/operations.ts`: the facts about each bound operation that the REST client needs at run time. */
import type { Model } from "../bind/model.ts";
import { literal } from "./text.ts";

export function emitOperations({ calledOperations }: Model): string {
  const entries = [...calledOperations].map(
    ([name, operation]) => `${literal(name)}: ${literal(operation)},`,
  );
  return `import type { Operation } from "../src/rest/operation.ts";

export const operations: Readonly<Record<string, Operation>> = {
${entries.join("\n")}
};
`;
}
