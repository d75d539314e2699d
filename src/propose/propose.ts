/**
 * `npm run propose`: prints the SDL for a REST operation that has no field yet, ready to paste into the schema. It uses
 * the schema's own types where they fit. The pasted SDL passes `check`.
 */
import { didYouMean } from "../bind/findings.ts";
import type { Model } from "../bind/model.ts";
import { UsageError } from "../cli/usage-error.ts";
import { boundMethods, hasNoContent, isSafe, type RestOperation } from "../openapi/operation.ts";
import { operationNamed } from "../openapi/read-operations.ts";
import { declaredProperty } from "../openapi/shape.ts";
import { InputTypes } from "./input-types.ts";
import { OutputTypes } from "./output-types.ts";
import { descriptionLines, fieldName, typeName } from "./proposed-names.ts";
import { TypeDefinitions } from "./type-definitions.ts";

/** Throws `UsageError` if there is no such operation, or no field can be bound to its method or its response. */
export function propose(model: Model, operationId: string): string {
  const operation = operationNamed(model.operations, operationId);
  if (!operation) {
    const near = didYouMean(operationId, model.operations.keys());
    throw new UsageError([`propose ${operationId}: there is no such REST operation${near}`]);
  }
  if (!boundMethods.includes(operation.method))
    throw new UsageError([`propose ${operationId}: no field can send ${operation.method.toUpperCase()}`]);
  const answer = operation.successes.find(({ shape }) => shape)?.shape;
  if (!answer && !hasNoContent(operation))
    throw new UsageError([
      `propose ${operationId}: it answers neither JSON nor text, so no field can show it`,
    ]);
  const definitions = new TypeDefinitions(model, operation);
  const root = isSafe(operation.method) ? "Query" : "Mutation";
  // a list inside an envelope becomes the value of the field; the envelope's other properties are left out
  const items = answer && declaredProperty(answer, "items");
  const isList = items?.shape.types.has("array") === true;
  const shown = isList ? items?.shape : answer;
  // a response without content is null, for which any type serves
  const type = shown ? new OutputTypes(definitions).output(shown, typeName(operation.id)) : "Boolean";
  const rest = [
    `operation: ${JSON.stringify(operation.id)}`,
    ...(operation.body ? ['body: "args.input"'] : []),
    ...(isList ? ['result: "items"'] : []),
  ];
  const field = [
    ...descriptionLines(operation.summary, "  "),
    `  ${rootFieldName(model, root, operation)}${argumentList(definitions, operation)}: ${type}`,
    `    @rest(${rest.join(", ")})`,
  ];
  return [
    `extend type ${root} {`,
    ...field,
    "}",
    ...definitions.sdl.flatMap((definition) => ["", definition]),
  ].join("\n");
}

/** `listThings` → `things`, unless the schema has that field. */
function rootFieldName(model: Model, root: string, { id }: RestOperation): string {
  const short = fieldName(id.replace(/^(list|get|fetch|read)(?=[A-Z_])/, ""));
  const isTaken = model.fields.has(`${root}.${short}`);
  return isTaken || short === "" ? fieldName(id) : short;
}

function argumentList(definitions: TypeDefinitions, operation: RestOperation): string {
  const types = new InputTypes(definitions, operation);
  const lines = [
    ...operation.parameters.flatMap((parameter) => types.argument(parameter)),
    ...(operation.body ? [types.bodyArgument(operation.body)] : []),
  ];
  return lines.length === 0 ? "" : `(\n${lines.map((line) => `    ${line}`).join("\n")}\n  )`;
}
