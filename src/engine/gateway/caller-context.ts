/** Reads a caller's context from a key introspection response, or from the claims of an access token. */
import { FailureReason } from "../runtime/coded-error.ts";
import type { TenantContext } from "../runtime/http/context-headers.ts";
import { own } from "../shared/own.ts";

/**
 * Reads the context from `members`. `names` maps members of the context to their names in `members`. Throws a `FailureReason` for
 * a missing or malformed value. The code of this error begins with `subject`.
 */
export function readCallerContext(
  members: Readonly<Record<string, unknown>>,
  names: ReadonlyMap<string, string>,
  subject: "answered" | "has",
): TenantContext {
  const text = (name: string): string => textAt(members, names.get(name) ?? name, subject);
  const texts = (name: string): readonly string[] =>
    textsAt(members, names.get(name) ?? name, names.has(name), subject);
  return {
    tenantId: text("tenant_id"),
    userId: text("user_id"),
    apiKeyId: text("api_key_id"),
    roles: texts("roles"),
    permissions: texts("permissions"),
    features: texts("features"),
    keyScopes: texts("key_scopes"),
    teams: texts("teams"),
  };
}

function textAt(members: Readonly<Record<string, unknown>>, name: string, subject: string): string {
  const value = own(members, name);
  if (!isText(value)) throw new FailureReason(`${subject} no ${name}`);
  return value;
}

/** Rejects an empty text, and a text with a lone surrogate, which a header cannot encode. */
const isText = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.isWellFormed();

/**
 * Reads a list of texts. If `names` maps the member, the value may also be one space-separated string, like that of `scope` (RFC
 * 7662 §2.2, RFC 9068 §2.2.3). If `names` maps the member to an empty name, the list is empty.
 */
function textsAt(
  members: Readonly<Record<string, unknown>>,
  name: string,
  isMapped: boolean,
  subject: string,
): readonly string[] {
  if (name === "") return [];
  const given = own(members, name);
  const isOneText = isMapped && typeof given === "string";
  const value = isOneText ? given.split(" ").filter((each) => each !== "") : given;
  if (!Array.isArray(value) || !value.every(isText)) throw new FailureReason(`${subject} no list of ${name}`);
  return value;
}
