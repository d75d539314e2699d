/** The head of `generated/graphql.ts`: imports, and the REST object behind each GraphQL object type. */
import { boundFields, type Model } from "../bind/model.ts";
import { comment } from "./text.ts";
import type { TypeNames } from "./type-names.ts";

export function emitParents(model: Model, typeNames: TypeNames): { prepend: string[]; content: string } {
  const parents = [...model.backings].map(
    ([type, backings]) =>
      `${comment(`The REST object that ${type} is read from.`)}\nexport type ${typeNames.ofParent(type)} = ${backings.map(({ typeExpression }) => typeExpression.text).join(" | ")};`,
  );
  const roots = [...model.backings.values()].flat().map(({ typeExpression }) => typeExpression.root);
  const names = [...new Set(roots)].sort();
  const hasConnections = boundFields(model).some(({ connection }) => connection);
  const hasEntries = [...model.fields.values()].some(({ entries }) => entries);
  return {
    prepend: [
      ...(hasConnections ? ['import type { Connection } from "../src/rest/connection.ts";'] : []),
      'import type { Context } from "../src/rest/context.ts";',
      ...(hasEntries ? ['import type { Entries } from "../src/rest/property.ts";'] : []),
      ...(names.length > 0 ? [`import type { ${names.join(", ")} } from "./rest.ts";`] : []),
    ],
    content: parents.join("\n"),
  };
}
