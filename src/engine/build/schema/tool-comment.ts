/**
 * `# @tool` above a saved operation, in a comment or in its description: agents may call the operation as a tool (Model Context
 * Protocol). A mutation needs its name too, `# @tool Answer`, so that nothing writes by a slip. The other lines describe the tool.
 */
import { type OperationDefinitionNode, type Token, TokenKind } from "graphql";

const mark = /^@tool(?:\s+(\w+))?$/;

/** The comments above the operation, its description, and the comments between these two and the operation. */
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

/** The tool's description; `undefined` for an operation that is no tool. */
export function toolDescription(definition: OperationDefinitionNode): string | undefined {
  return linesAbove(definition).some((line) => mark.test(line)) ? textAbove(definition) : undefined;
}

/** What the comments and the description of an operation say of it. */
export const textAbove = (definition: OperationDefinitionNode): string =>
  linesAbove(definition)
    .filter((line) => !mark.test(line))
    .join(" ");

/** What is wrong with an operation's mark. */
export function toolError(definition: OperationDefinitionNode): string | undefined {
  const name = definition.name?.value ?? "";
  for (const line of linesAbove(definition)) {
    const [found, given] = mark.exec(line) ?? [];
    if (found === undefined) continue;
    if (given !== undefined && given !== name) return `"# ${found}" stands above the operation ${name}`;
    if (given === undefined && definition.operation !== "query")
      return `a mutation is a tool by its name alone: "# @tool ${name}"`;
  }
  return undefined;
}
