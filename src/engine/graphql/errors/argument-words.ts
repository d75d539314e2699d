/**
 * Finds the description of an argument in the schema, for a client whose value is refused. A description may state a
 * rule that JSON Schema cannot: that a day must not be after another one, or that an address depends on the channel.
 */
import { type GraphQLArgument, type GraphQLInputField, getNamedType, isInputObjectType } from "graphql";

/** Characters of a description in an error. */
const maxLength = 300;

/** The description of an argument; empty without one. `path` has dots for fields of input objects. */
export function argumentDescription(args: readonly GraphQLArgument[], path: string): string {
  const [name, ...below] = path.split(".").filter((step) => !/^\d+$/.test(step)); // an index of a list has no description
  let found: GraphQLArgument | GraphQLInputField | undefined = args.find((each) => each.name === name);
  for (const step of below) {
    const type = found && getNamedType(found.type);
    found = isInputObjectType(type) ? type.getFields()[step] : undefined;
  }
  const text = found?.description?.replaceAll(/\s+/g, " ").replaceAll("`", "").trim() ?? "";
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
