/** The head of `generated/graphql.ts`: imports, and the REST object behind each GraphQL object type. */
import type { Model } from "../spec/model.ts";
import { banner } from "./names.ts";

export const parentName = (type: string): string => `${type}Parent`;

export function emitParents(model: Model): string {
  const parents = [...model.backings].map(
    ([type, backings]) =>
      `/** The REST object that ${type} is read from. */\nexport type ${parentName(type)} = ${backings.map(({ expression }) => expression).join(" | ")};`,
  );
  const used = parents.join("\n");
  const names = ["components", "paths"].filter((name) => used.includes(`${name}[`));
  const rest = names.length > 0 ? `import type { ${names.join(", ")} } from "./rest.ts";\n` : "";
  return `${banner}import type { Context } from "../src/rest/context.ts";\n${rest}\n${used}\n`;
}
