/** Determines where `@semanticNonNull` applies, and reports wrong `@semanticNonNull` directives in the schema. */
import { getNullableType, isListType, isNonNullType } from "graphql";
import { semanticNonNullLevels, semanticNonNullName } from "../../../shared/semantic-non-null.ts";
import { hasNoContent } from "../../openapi/operation.ts";
import { directiveLocation } from "../../schema/directives.ts";
import type { Binder } from "../binder.ts";
import type { Model, ModelField } from "../model.ts";

/**
 * Schema coordinate → levels at which the type allows null, but REST never sends it: 0 for the value, 1 for an item of its list.
 */
export function semanticNonNull(binder: Binder, fields: Model["fields"]): Model["semanticNonNull"] {
  const found = new Map<string, readonly number[]>();
  for (const field of fields.values()) {
    const nulls = binder.nullsOf(field.coordinate);
    const isNullable = nullabilityOf(field);
    const hasValue = field.kind === "plain" || !hasNoContent(field.operation);
    const proved = isNullable.flatMap((each, level) =>
      each && hasValue && !nulls.has(level) ? [level] : [],
    );
    if (proved.length > 0) found.set(field.coordinate, proved);
    for (const level of semanticNonNullLevels(field.definition.astNode)) {
      if (proved.includes(level) || isNullable[level] === false) continue;
      binder.findings.add(
        "output-nullable",
        {
          coordinate: field.coordinate,
          schema: directiveLocation(field.definition, semanticNonNullName, "levels"),
          rest: nulls.get(level),
        },
        `${field.coordinate} has @semanticNonNull for level ${level}, but ${nulls.has(level) ? "REST may leave the value out or send null" : `${field.definition.type} has no such level`}`,
        "remove it: codegen writes the directive where REST never sends null",
      );
    }
  }
  return found;
}

/** `[String!]` → `[true, false]` */
function nullabilityOf({ definition }: ModelField): boolean[] {
  const levels: boolean[] = [];
  for (let { type } = definition; ; ) {
    levels.push(!isNonNullType(type));
    const bare = getNullableType(type);
    if (!isListType(bare)) return levels;
    type = bare.ofType;
  }
}
