/**
 * Finds the definition, field, argument and directive that contain an offset in a GraphQL schema. Reads tokens instead of
 * parsing, because the text may be incomplete.
 */
import { GraphQLError, Lexer, Source, type Token, TokenKind } from "graphql";

export type SchemaPosition = {
  /** Name of the type definition that contains the offset. */
  readonly type?: string | undefined;
  /** Name of the field or enum value that contains the offset. */
  readonly member?: string | undefined;
  readonly argument?: string | undefined;
  /** Names of the field's arguments before the offset. */
  readonly declared: readonly string[];
  readonly directive?: string | undefined;
  /** Path of the value in the directive: `["params", "from"]` for the `from` of an entry of `params`. */
  readonly path: readonly string[];
  /** Whether the name of a directive's argument or of an input field is expected at the offset. */
  readonly isKey: boolean;
  /** The string or name at the offset. */
  readonly word?: Word | undefined;
  /** The `operation` of the field's `@rest`. */
  readonly operation?: string | undefined;
};

/** `start` and `end` exclude the quotes of a string. */
type Word = {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isString: boolean;
};

type SchemaToken = Word & { readonly kind: TokenKind };

type Frame = { readonly opener: string; readonly owner: "body" | "arguments" | "directive"; key?: string };

/** An offset directly after a word belongs to the word, because that is where users type. */
export function schemaPositionAt(text: string, offset: number): SchemaPosition {
  const frames: Frame[] = [];
  let type: string | undefined;
  let member: string | undefined;
  let argument: string | undefined;
  let declared: string[] = [];
  let directive: string | undefined;
  let operation: string | undefined;
  let found: Omit<SchemaPosition, "operation"> | undefined;
  let directiveDepth = 0;
  const tokens = tokensOf(text);
  const stateAt = (word: Word | undefined, before: string): Omit<SchemaPosition, "operation"> => {
    const keys = frames.slice(directiveDepth).flatMap(({ key }) => key ?? []);
    const top = frames.at(-1);
    const isKey = top?.owner === "directive" && top.opener !== "[" && !word?.isString && before !== ":";
    const isInDirective = top?.owner === "directive" || (directive !== undefined && before === "@");
    return {
      type,
      member: frames.length > 0 ? member : undefined,
      argument: top?.owner === "arguments" || frames[1]?.owner === "arguments" ? argument : undefined,
      declared,
      directive: isInDirective ? directive : undefined,
      path: isKey ? keys.slice(0, -1 * Number(top.key !== undefined)) : keys,
      isKey,
      word,
    };
  };
  for (const [index, token] of tokens.entries()) {
    const { kind, text: name } = token;
    const before = tokens[index - 1]?.text ?? "";
    const next = tokens[index + 1]?.text;
    const top = frames.at(-1);
    if (!found && token.start - Number(token.isString) >= offset) found = stateAt(undefined, before);
    if (kind === TokenKind.NAME) {
      if (frames.length === 0 && /^(?:type|input|enum|interface)$/.test(before)) {
        type = name;
        member = undefined;
      } else if (before === "@") directive = name;
      else if (top?.owner === "body" && (next === ":" || next === "(" || isEnumValue(before))) {
        if (before !== ":" && before !== "[") {
          member = name;
          declared = [];
        }
      } else if (top?.owner === "arguments" && next === ":") {
        argument = name;
        declared = [...declared, name];
      } else if (top?.owner === "directive" && next === ":") top.key = name;
    }
    const isWord = token.isString || kind === TokenKind.NAME;
    if (!found && isWord && token.start <= offset && offset <= token.end) found = stateAt(token, before);
    if (
      token.isString &&
      directive === "rest" &&
      frames.length === directiveDepth + 1 &&
      top?.key === "operation"
    )
      operation = name;
    if (kind === TokenKind.PAREN_L || kind === TokenKind.BRACE_L || kind === TokenKind.BRACKET_L) {
      const isDirective = name === "(" && tokens[index - 2]?.text === "@";
      if (isDirective) {
        directiveDepth = frames.length;
        operation = undefined;
      }
      const owner = isDirective ? "directive" : name === "(" ? "arguments" : (top?.owner ?? "body");
      frames.push({ opener: name, owner });
    } else if (kind === TokenKind.PAREN_R || kind === TokenKind.BRACE_R || kind === TokenKind.BRACKET_R) {
      const closed = frames.pop();
      if (closed?.owner === "directive" && frames.at(-1)?.owner !== "directive") {
        if (found) break;
        directive = undefined;
      }
      if (frames.length === 0) type = undefined;
    }
  }
  const state = found ?? stateAt(undefined, tokens.at(-1)?.text ?? "");
  return { ...state, operation: state.directive === "rest" ? operation : undefined };
}

/**
 * Whether a name after the token `before` is an enum value. An enum value follows a brace, another value, a description or a
 * directive.
 */
const isEnumValue = (before: string): boolean => !/^[:@[(|&=!]$/.test(before);

/** Returns the tokens before the first syntax error. An unterminated string ends with its line. */
export function tokensOf(text: string): SchemaToken[] {
  const tokens: SchemaToken[] = [];
  const lexer = new Lexer(new Source(text));
  try {
    for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance())
      tokens.push(schemaTokenOf(token));
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const quote = text.indexOf('"', lexer.token.end);
    const line = quote < 0 ? "" : (/^[^\r\n]*/.exec(text.slice(quote + 1))?.[0] ?? "");
    if (quote >= 0)
      tokens.push({
        kind: TokenKind.STRING,
        text: line,
        start: quote + 1,
        end: quote + 1 + line.length,
        isString: true,
      });
  }
  return tokens;
}

function schemaTokenOf({ kind, value, start, end }: Token): SchemaToken {
  const quotes = kind === TokenKind.STRING ? 1 : kind === TokenKind.BLOCK_STRING ? 3 : 0;
  return { kind, text: value ?? kind, start: start + quotes, end: end - quotes, isString: quotes === 1 };
}
