/**
 * The OAuth scopes that a tool requires (RFC 6750 §3.1; MCP 2025-11-25, Authorization, "Scope Challenge Handling"), from the
 * security requirements of its REST operations.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { ScopeRequirement } from "../shared/operation.ts";
import { own } from "../shared/own.ts";
import type { Tool } from "./tools.ts";

/** The scopes that a token lacks for a tool, and all scopes that the client should request for its next token. */
export type ScopeChallenge = {
  readonly tool: string;
  readonly missing: readonly string[];
  readonly scopes: readonly string[];
};

/**
 * Returns the challenge if the token lacks a scope that `tools` require. The client's next token has exactly the scopes of the
 * challenge. The challenge repeats the granted scopes in `known`, so that the client does not lose them.
 */
export function findScopeChallenge(
  tools: readonly Tool[],
  headers: IncomingHttpHeaders,
  granted: ReadonlySet<string>,
  known: ReadonlySet<string>,
): ScopeChallenge | undefined {
  const required = new Map(tools.map((tool) => [tool.name, requiredScopes(tool, headers, granted)] as const));
  const missingOf = (scopes: readonly string[]) => scopes.filter((scope) => !granted.has(scope));
  const [tool, scopes] = [...required].find(([, each]) => missingOf(each).length > 0) ?? [];
  if (tool === undefined || !scopes) return undefined;
  const kept = [...known].filter((scope) => granted.has(scope));
  return {
    tool,
    missing: missingOf(scopes),
    scopes: [...new Set([...kept, ...[...required.values()].flat()])],
  };
}

/** Chooses, for each REST operation, the alternative that needs the fewest scopes beyond those `granted`. */
function requiredScopes(
  { scopes }: Tool,
  headers: IncomingHttpHeaders,
  granted: ReadonlySet<string>,
): readonly string[] {
  const missing = (one: ScopeRequirement): number => one.scopes.filter((scope) => !granted.has(scope)).length;
  return scopes.flatMap((alternatives) => {
    // an alternative counts only if the request has its credentials; if none counts, REST rejects the request
    const sent = alternatives.filter((one) => one.headers.every((name) => own(headers, name) !== undefined));
    const [best] = sent.toSorted((one, other) => missing(one) - missing(other));
    return best?.scopes ?? [];
  });
}

/** All scopes that some tool may require. */
export const scopesOfTools = (tools: readonly Tool[]): ReadonlySet<string> =>
  new Set(tools.flatMap((tool) => tool.scopes.flat().flatMap(({ scopes }) => scopes)));
