/**
 * A line `# @tool` above a saved operation, or `@tool` in its description, exposes the operation to agents (Model Context
 * Protocol). A mutation must add its name (`# @tool Answer`), to prevent accidents. All other lines are the tool's description.
 */
import { type OperationDefinitionNode, type Token, TokenKind } from "graphql";

const mark = /^@tool(?:\s+(\w+))?$/;

/** Includes the comments above the description, and those between the description and the operation. */
function linesAbove({ loc, description }: OperationDefinitionNode): string[] {
  const described = (description?.value ?? "").split("\n").map((line) => line.trim());
  return [
    ...commentsBefore(loc?.startToken),
    ...described.filter((line) => line !== ""),
    ...commentsAfter(description?.loc?.endToken),
  ];
}

function commentsBefore(start: Token | undefined): string[] {
  const lines: string[] = [];
  for (let token = start?.prev; token?.kind === TokenKind.COMMENT; token = token.prev)
    lines.unshift(token.value.trim());
  return lines;
}

function commentsAfter(end: Token | undefined): string[] {
  const lines: string[] = [];
  for (let token = end?.next; token?.kind === TokenKind.COMMENT; token = token.next)
    lines.push(token.value.trim());
  return lines;
}

/** Returns `undefined` for an operation that is not a tool. */
export function toolDescription(definition: OperationDefinitionNode): string | undefined {
  return linesAbove(definition).some((line) => mark.test(line)) ? textAbove(definition) : undefined;
}

/** Joins the operation's comments and its description, without the `@tool` line. */
export const textAbove = (definition: OperationDefinitionNode): string =>
  linesAbove(definition)
    .filter((line) => !mark.test(line))
    .join(" ");

/** Returns a message if the `@tool` line is wrong. Returns `undefined` if it is correct or missing. */
export function toolError(definition: OperationDefinitionNode): string | undefined {
  const name = definition.name?.value ?? "";
  for (const line of linesAbove(definition)) {
    const [found, given] = mark.exec(line) ?? [];
    if (found === undefined) continue;
    if (given !== undefined && given !== name) return `"# ${found}" is above the operation ${name}`;
    if (given === undefined && definition.operation !== "query")
      return `for a mutation, the name is required: "# @tool ${name}"`;
  }
  return undefined;
}
