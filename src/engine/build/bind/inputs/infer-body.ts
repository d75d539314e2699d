/** Names the argument that is the whole body, where the schema leaves it out: the one input object that feeds nothing else. */
import { type GraphQLArgument, getNullableType, isInputObjectType } from "graphql";
import { readRestName } from "../../schema/directives.ts";
import type { FieldContext } from "../field-context.ts";
import { locations } from "./input-slots.ts";

/** The value of `body`. An argument that feeds a property of the body, or that names its parameter, leaves nothing to infer. */
export function inferBodyArgument(field: FieldContext): string | undefined {
  const { definition, directive, operation, slots } = field;
  const { names, schema } = field.binder;
  if (directive.body !== undefined || !operation.body) return directive.body;
  const used = new Set(directive.params.map(({ from = "" }) => /^args\.(\w+)/.exec(from)?.[1]));
  const free = definition.args.filter(({ name }) => !used.has(name));
  const slotsOf = (argument: GraphQLArgument) => slots.find(names.resolve(argument, slots.names(locations)));
  const feedsBody =
    directive.params.some(({ name }) => slots.find(name).some((slot) => slot.in === "body")) ||
    free.some((argument) => slotsOf(argument).some((slot) => slot.in === "body"));
  if (feedsBody) return undefined;
  const left = free.filter(
    (argument) =>
      isInputObjectType(getNullableType(argument.type)) &&
      readRestName(schema, argument).name === undefined &&
      slotsOf(argument).length === 0,
  );
  return left.length === 1 ? `args.${left[0]?.name}` : undefined;
}
