/**
 * `npm run propose`: the SDL for a REST operation that has no field yet, ready to paste. Types that the schema has are
 * used, names that are taken for something else get the operation's name in front; what comes out passes `check`.
 */
import { ConfigError } from "../config.ts";
import { didYouMean } from "../spec/findings.ts";
import type { Model } from "../spec/model.ts";
import { answersNothing, boundMethods, isSafe, type RestOperation } from "../spec/operations.ts";
import { declared } from "../spec/shape.ts";
import { describedBy, lowerFirst, nameOf } from "./propose-names.ts";
import { ProposedTypes } from "./propose-types.ts";

/** Throws `ConfigError` for an operation that does not exist, answers what is no JSON or has a method that nothing sends. */
export function propose(model: Model, operationId: string): string {
  const operation = model.operations.get(operationId);
  if (!operation) {
    const near = didYouMean(operationId, model.operations.keys());
    throw new ConfigError([`propose ${operationId}: there is no such REST operation${near}`]);
  }
  if (!boundMethods.includes(operation.method))
    throw new ConfigError([`propose ${operationId}: no field can send ${operation.method.toUpperCase()}`]);
  const answer = operation.answers.find(({ shape }) => shape)?.shape;
  if (!answer && !answersNothing(operation))
    throw new ConfigError([`propose ${operationId}: it answers no JSON, so no field can show it`]);
  const types = new ProposedTypes(model, operation);
  const root = isSafe(operation.method) ? "Query" : "Mutation";
  // a list in an envelope is the field's value; what stands beside it can be bound later
  const items = answer && declared(answer, "items");
  const isList = items?.shape.types.has("array") === true;
  const shown = isList ? items?.shape : answer;
  const type = shown ? types.output(shown, nameOf(operation.id)) : "Boolean"; // without content: null
  const field = [
    ...describedBy(operation.summary, "  "),
    `  ${fieldName(model, root, operation)}${argumentsOf(operation, types)}: ${type}`,
    `    @rest(${[`operation: ${JSON.stringify(operation.id)}`, ...types.bodySource, ...(isList ? ['result: "items"'] : [])].join(", ")})`,
  ];
  return [
    `extend type ${root} {`,
    ...field,
    "}",
    ...types.definitions.flatMap((definition) => ["", definition]),
  ].join("\n");
}

/** `listThings` → `things`, unless that is taken. */
function fieldName(model: Model, root: string, { id }: RestOperation): string {
  const short = lowerFirst(nameOf(id.replace(/^(list|get|fetch|read)(?=[A-Z_])/, "")));
  const taken = (name: string): boolean => model.fields.has(`${root}.${name}`);
  return taken(short) || short === "" ? lowerFirst(nameOf(id)) : short;
}

function argumentsOf(operation: RestOperation, types: ProposedTypes): string {
  const given = [
    ...operation.parameters.map((parameter) => types.argument(parameter)),
    ...(operation.body ? types.bodyArguments(operation.body) : []),
  ];
  return given.length === 0
    ? ""
    : `(\n${given.map((lines) => lines.map((line) => `    ${line}`).join("\n")).join("\n")}\n  )`;
}
