/** Names the parameters that an argument may be meant for, if the argument feeds nothing. */
import type { GraphQLArgument } from "graphql";
import type { InputLocation } from "../../openapi/operation.ts";
import { readRestName } from "../../schema/directives.ts";
import type { FieldContext } from "../field-context.ts";
import { type InputSlot, locations } from "./input-slots.ts";

/** Free parameters that a hint names. */
const mostNamed = 10;

/** The parameter that an argument names, by `@restName` or by its own name. */
export function parameterNamedBy(
  { binder: { names, schema }, directive, slots }: FieldContext,
  argument: GraphQLArgument,
): { readonly name: string; readonly location: InputLocation | undefined } {
  const { in: location } = readRestName(schema, argument);
  const open = locations.filter((each) => each !== "body" || directive.body === undefined);
  return { name: names.resolve(argument, slots.names(location ? [location] : open)), location };
}

/** What nothing names yet. */
export function unboundSlots(field: FieldContext): InputSlot[] {
  const { definition, directive, slots } = field;
  const named = new Set([
    ...directive.params.map(({ name }) => name),
    ...definition.args.map((argument) => parameterNamedBy(field, argument).name),
  ]);
  return slots.all.filter(
    (slot) =>
      !named.has(slot.name) &&
      slot.only !== "response" &&
      !slot.isUndeclared &&
      (slot.in !== "body" || directive.body === undefined),
  );
}

/** What the parameter of an argument of a connection says. */
export const connectionArguments: ReadonlyMap<string, string> = new Map([
  ["after", "where a page begins"],
  ["first", "how long a page is"],
]);

/** The one required parameter that nothing names, or the names of all that are free. `says`: what the parameter has to say. */
export function unusedArgumentHint(free: readonly InputSlot[], says?: string): string {
  const [unnamed, ...others] = free.filter(({ required }) => required);
  if (unnamed && others.length === 0)
    return `name its parameter, @restName(name: "${unnamed.name}"), or remove it`;
  const listed = free.slice(0, mostNamed).map(({ name }) => `"${name}"`);
  if (free.length > mostNamed) listed.push(`${free.length - mostNamed} more`);
  const list = free.length > 0 ? `; still free: ${listed.join(", ")}` : "";
  return says === undefined
    ? `remove it, or name its parameter with @restName or params${list}`
    : `name with @restName the parameter that says ${says}${list}`;
}
