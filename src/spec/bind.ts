/**
 * Binds a schema to a document: every field that can be reached from a root, over every REST object that backs its type.
 * Pure: findings and model out, nothing read and nothing written.
 */
import { isEnumType, isObjectType } from "graphql";
import { bindField } from "./bind-field.ts";
import { enumValues } from "./bind-types.ts";
import { Binding } from "./binding.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { placeOf } from "./directives.ts";
import { Findings } from "./findings.ts";
import type { Model, ModelField } from "./model.ts";
import { nPlusOne } from "./n-plus-one.ts";
import { checkTypeNames } from "./type-names.ts";
import { unsentCredentials } from "./unsent-credentials.ts";

export type BindInput = Pick<Model, "schema" | "schemaDocument" | "document" | "operations">;

/** A model is there even when there are errors among the diagnostics; then `provedModel` refuses it. */
export function bind(input: BindInput): { model: Model; diagnostics: Diagnostic[] } {
  const findings = new Findings(input.document);
  checkTypeNames(input.schema, findings);
  const binding = new Binding(input.schema, input.document, input.operations, findings);
  for (const root of [input.schema.getQueryType(), input.schema.getMutationType()]) {
    for (const field of Object.values(root?.getFields() ?? {}))
      bindField(binding, root?.name ?? "", field, undefined);
  }
  for (const field of Object.values(input.schema.getSubscriptionType()?.getFields() ?? {})) {
    const where = {
      coordinate: `${input.schema.getSubscriptionType()?.name}.${field.name}`,
      schema: placeOf(field.astNode),
    };
    findings.add(
      "field-unbound",
      where,
      `${where.coordinate}: REST has nothing to subscribe to`,
      "remove the field",
    );
  }
  for (let next = binding.next(); next; next = binding.next()) {
    const type = input.schema.getType(next.type);
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) bindField(binding, type.name, field, next.backing);
  }
  const model: Model = {
    ...input,
    fields: inSchemaOrder(input, binding),
    abstracts: binding.abstracts,
    backings: binding.backings,
    enums: renamedEnums(input),
    reliances: binding.reliances,
  };
  nPlusOne(model, findings);
  unsentCredentials(model, findings);
  return { model, diagnostics: findings.all };
}

function inSchemaOrder({ schema }: BindInput, binding: Binding): Model["fields"] {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const ordered: [string, ModelField][] = [];
  for (const type of types) {
    for (const name of Object.keys(type.getFields())) {
      const field = binding.fields.get(`${type.name}.${name}`);
      if (field) ordered.push([field.coordinate, field]);
    }
  }
  return new Map(ordered);
}

function renamedEnums({ schema }: BindInput): Model["enums"] {
  const enums = Object.values(schema.getTypeMap()).filter(isEnumType);
  const own = enums.filter((type) => type.astNode && type.name !== "RestIn");
  return new Map(
    own.flatMap((type) => {
      const values = enumValues(schema, type);
      return [...values].some(([name, rest]) => name !== rest) ? [[type.name, values] as const] : [];
    }),
  );
}
