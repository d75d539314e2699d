/** `generated/operations.ts`: what the REST client must know of each bound operation at run time. */
import { boundFields, type Model } from "../spec/model.ts";
import { methodAndPath, type RestOperation } from "../spec/operations.ts";
import { banner } from "./names.ts";

export function emitOperations(model: Model): string {
  const bound = new Set(boundFields(model).map(({ operation }) => operation));
  const entries = [...bound].map(
    (operation) => `${JSON.stringify(methodAndPath(operation))}: ${entry(operation)},`,
  );
  return `${banner}
import type { Operation } from "../src/rest/operation.ts";

export const operations: Readonly<Record<string, Operation>> = {
${entries.join("\n")}
};
`;
}

function entry(operation: RestOperation): string {
  const styled = operation.parameters.filter(
    ({ shape }) => shape.types.has("array") || shape.types.has("object"),
  );
  const style = Object.fromEntries(
    styled.map((each) => [`${each.in}:${each.name}`, { style: each.style, explode: each.explode }]),
  );
  const media = operation.body?.media;
  return JSON.stringify({
    id: operation.id,
    product: operation.product,
    ...(styled.length > 0 && { style }),
    ...(media !== undefined && media !== "application/json" && { media }),
    ...(operation.answers.some(({ shape }) => !shape) && { empty: true }),
  });
}
