/** The head of `generated/graphql.ts`: imports, and the REST object behind each GraphQL object type. */
import type { Model } from "../bind/model.ts";
import { codeOf, comment } from "./text.ts";
import type { TypeNames } from "./type-names.ts";

const context = `${comment("The context of every resolver: the REST client, with the document's types.")}
export type Context = ContextOf<paths, ResolversParentTypes, ResolversTypes, Scalars>;`;

export function emitParents(model: Model, typeNames: TypeNames): { prepend: string[]; content: string } {
  const types = [...model.backings].map(
    ([type, backings]) => [type, backings.map(({ typeExpression }) => typeExpression).join(" | ")] as const,
  );
  const parents = types.map(
    ([type, rest]) =>
      `${comment(`The REST object that ${type} is read from.`)}\nexport type ${typeNames.ofParent(type)} = ${rest};`,
  );
  const used = new Set(types.flatMap(([, rest]) => codeOf(rest).match(/\w+/g) ?? []));
  const generated = used.has("components") ? "components, paths" : "paths";
  return {
    prepend: [
      `import type { ${["Connection", "Context as ContextOf", "Entries"].filter((name) => name.includes(" ") || used.has(name)).join(", ")} } from "restbound/rest";`,
      `import type { ${generated} } from "./rest.ts";`,
    ],
    content: [...parents, context].join("\n"),
  };
}
