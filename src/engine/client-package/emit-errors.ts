/** The errors module of the client package: the error codes, the type of an error, and `failedAt`. */
import { comment, literal } from "../build/codegen/typescript-text.ts";
import { codes } from "../shared/error-codes.ts";

export function emitErrors(): string {
  const entries = Object.entries(codes).map(
    ([code, { meaning }]) => `  ${comment(meaning)}\n  ${code}: ${literal(code)},`,
  );
  return `/** Every value of \`extensions.code\`. */
export const ErrorCode = {
${entries.join("\n")}
} as const;
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** An error of a response. */
export interface ApiError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions: {
    readonly code: ErrorCode;
    /** Quote this id when you report the error. */
    readonly requestId?: string;
    /** The argument whose value was rejected. */
    readonly argument?: string;
    /** REST's explanation of a refusal: a summary, the details, REST's error code, and the details of each refused value. */
    readonly title?: string;
    readonly detail?: string;
    readonly restCode?: string;
    readonly errors?: readonly {
      readonly argument?: string;
      readonly detail?: string;
      readonly restCode?: string;
    }[];
    /** Seconds to wait before trying again. */
    readonly retryAfter?: number;
    /** The REST operation that failed, and the permission that its caller lacks. */
    readonly operation?: string;
    readonly permission?: string;
    /** The limit that was exceeded, and its value. */
    readonly limit?: string;
    readonly value?: number;
    /** How many nulls the error accounts for, and their list indexes: ["0-3", "7"]; in nested lists ["2.0-1"]. */
    readonly places?: number;
    readonly indexes?: readonly string[];
  };
}

/**
 * Returns the error that caused the null at \`path\`; \`undefined\` if the value really is null. Accepts the response, its list of
 * errors, and the results and error objects of client libraries: Apollo Client, urql, graphql-request (also as the error of
 * TanStack Query) and villus.
 */
export function failedAt(result: unknown, path: readonly (string | number)[]): ApiError | undefined {
  return errorsIn(result).find((error) => {
    const at = error.path ?? [];
    const length = Math.min(at.length, path.length);
    for (let step = 0; step < length; step++) {
      const isIndex = typeof at[step] === "number" && typeof path[step] === "number";
      if (at[step] !== path[step] && !(isIndex && error.extensions?.indexes)) return false;
    }
    const asked = path.slice(0, length).filter((key) => typeof key === "number");
    const { places = 1, indexes } = error.extensions ?? {};
    if (!indexes) return true;
    return countOf(indexes) < places || indexes.some((range) => holds(range, asked));
  });
}

/** The list of errors: \`errors\` of a response or Apollo Client's error, \`graphQLErrors\` of urql's, \`graphqlErrors\` of villus'. */
function errorsIn(found: unknown, depth = 0): readonly ApiError[] {
  if (Array.isArray(found)) return found;
  if (typeof found !== "object" || found === null || depth > 2) return [];
  const { errors, graphQLErrors, graphqlErrors, error, response } = found as Readonly<Record<string, unknown>>;
  const own = [errors, graphQLErrors, graphqlErrors].find((each) => Array.isArray(each));
  // a result has its error as \`error\`; graphql-request's error has the response
  return own ? errorsIn(own) : errorsIn(error ?? response, depth + 1);
}

const ends = (range: string): readonly number[] => range.slice(range.lastIndexOf(".") + 1).split("-").map(Number);

/** How many places the ranges cover. The list is cut off if there are too many. */
const countOf = (ranges: readonly string[]): number =>
  ranges.reduce((sum, range) => {
    const [from = 0, to = from] = ends(range);
    return sum + to - from + 1;
  }, 0);

function holds(range: string, asked: readonly number[]): boolean {
  const keys = range.split(".");
  return asked.every((index, at) => {
    if (at < keys.length - 1) return Number(keys[at]) === index;
    const [from = 0, to = from] = ends(range);
    return from <= index && index <= to;
  });
}
`;
}
