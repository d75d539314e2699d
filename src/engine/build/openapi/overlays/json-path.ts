/**
 * JSONPath (RFC 9535), with `match` and `search` in linear time. A vendor's overlay may contain any pattern (I-Regexp, RFC 9485),
 * and JavaScript's own engine practically never finishes matching `^(a+)+$` against 45 characters.
 */
import { jsonpath } from "json-p3";
import { type LinearPattern, linearPattern } from "../../../shared/linear-pattern.ts";

const { FunctionExpressionType, JSONPathEnvironment } = jsonpath;

/** Maximum number of values that a query may select. `$..[*,*]` selects each value twice; each further `[*,*]` doubles this. */
const mostSelected = 500_000;

/** Returns the values that a query selects, with their paths. Throws for an invalid query or pattern. */
export function queryPaths(query: string, value: unknown): jsonpath.JSONPathNode[] {
  const selected: jsonpath.JSONPathNode[] = [];
  for (const node of environment().lazyQuery(query, value as never)) {
    if (selected.length >= mostSelected) throw new Error(`selects more than ${mostSelected} values`);
    selected.push(node);
  }
  return selected;
}

function environment(): jsonpath.JSONPathEnvironment {
  const environment = new JSONPathEnvironment();
  const patterns = new Map<string, LinearPattern>();
  const register = (name: string, whole: (pattern: string) => string): void => {
    const call = (text: unknown, pattern: unknown): boolean => {
      if (typeof text !== "string" || typeof pattern !== "string") return false;
      const compiled = patterns.get(whole(pattern)) ?? linearPattern(whole(pattern));
      patterns.set(whole(pattern), compiled);
      // matching takes linear time, so the number of its steps is not limited
      return compiled.test(text, { left: Number.POSITIVE_INFINITY });
    };
    const { ValueType, LogicalType } = FunctionExpressionType;
    environment.functionRegister.set(name, {
      argTypes: [ValueType, ValueType],
      returnType: LogicalType,
      call,
    });
  };
  register("match", (pattern) => `^(?:${pattern})$`);
  register("search", (pattern) => pattern);
  return environment;
}
