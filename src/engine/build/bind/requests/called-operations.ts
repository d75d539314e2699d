/** Collects what the REST client needs to know about each operation at run time. */

import { includesJson, isJson, isText } from "../../../shared/media-type.ts";
import type { Operation, Style } from "../../../shared/operation.ts";
import type { CredentialsFile } from "../../openapi/credentials-file.ts";
import type { RestDocument } from "../../openapi/document.ts";
import type { HeldByOperation } from "../../openapi/held-credentials.ts";
import {
  hasNoContent,
  isSafe,
  methodAndPath,
  type RestOperation,
  showableResponses,
} from "../../openapi/operation.ts";
import {
  credentialHeadersOf,
  credentialPlacesOf,
  isAnonymousToo,
  isDeclaredPublic,
  scopeRequirementsOf,
} from "../../openapi/security.ts";
import { declaredProperty } from "../../openapi/shapes/shape.ts";
import type { BoundField } from "../model.ts";
import { errorMembers, listedMembers } from "../outputs/error-members.ts";

export const calledOperations = (
  document: RestDocument,
  held: HeldByOperation,
  credentials: CredentialsFile,
  fields: readonly BoundField[],
): Map<string, Operation> =>
  new Map(
    [...Map.groupBy(fields, ({ operation }) => methodAndPath(operation))].map(
      ([name, [first, ...others]]) => {
        const { operation } = first as BoundField;
        const section = credentials.get(operation.root.name ?? "");
        const fields = [first as BoundField, ...others] as const;
        const of = calledOperation(document, fields, held.get(operation), section?.errors);
        const headers = section?.headers ?? [];
        const fixed = [...headers].map(([header, { value }]) => [header, value] as const);
        return [name, { ...of, ...(fixed.length > 0 && { headers: Object.fromEntries(fixed) }) }];
      },
    ),
  );

function calledOperation(
  document: RestDocument,
  fields: readonly [BoundField, ...BoundField[]],
  held: Operation["held"],
  listed: ReadonlySet<string> = new Set(),
): Operation {
  const [{ operation }] = fields;
  const { id, product, permission, parameters, body, successes } = operation;
  const credentials = held ? [] : credentialHeadersOf(document, operation);
  const scopes = held ? [] : scopeRequirementsOf(document, operation);
  const places = held ? new Map() : credentialPlacesOf(document, operation);
  const styled = parameters.filter(
    ({ shape, style, allowReserved }) =>
      style === "json" || allowReserved || shape.types.has("array") || shape.types.has("object"),
  );
  const parts = [...(body?.formStyles ?? [])].filter(([, { style }]) => style !== "file");
  const style = Object.fromEntries([
    ...styled.map(({ in: location, name, style, explode, allowReserved }): [string, Style] => [
      `${location}:${name}`,
      { style, explode, ...(allowReserved && { allowReserved }) },
    ]),
    ...parts.map(([name, written]): [string, Style] => [`body:${name}`, written]),
  ]);
  const nullable = new Set(fields.filter(mayBeNull).map(({ result }) => result.join(".")));
  const shown = showableResponses(operation);
  const read = shown.map(({ media }) => media);
  const isUnread = hasNoContent(operation);
  // with the server's credential, errors may contain details of other tenants
  const declared = errorMembers(document, operation);
  const errors = held ? listedMembers(declared, listed) : declared;
  const accept = isUnread
    ? "application/json, */*;q=0.5"
    : acceptOf(
        read,
        shown.flatMap(({ sameMedia }) => sameMedia),
      );
  return {
    id,
    product,
    ...(permission !== undefined && { permission }),
    ...(!held && isPublicRead(operation) && { public: true }),
    ...(credentials.length > 0 && { credentials }),
    ...(credentials.length > 0 && isAnonymousToo(operation) && { anonymous: true }),
    ...(scopes.length > 0 && { scopes }),
    ...(places.size > 0 && { places: Object.fromEntries(places) }),
    ...(held && { held }),
    ...(Object.keys(style).length > 0 && { style }),
    ...(body && body.media !== "application/json" && { media: body.media }),
    ...(accept !== "application/json" && { accept }),
    ...(read.some(isText) && { text: true }),
    ...(nullable.size > 0 && { nullable: [...nullable] }),
    ...(successes.some(({ shape }) => !shape) && { empty: true }),
    ...(isUnread && { unread: true }),
    ...refusalsOf(operation),
    ...(errors.length > 0 && { errors }),
  };
}

/**
 * Whether the response is the same for all callers. False if the operation has header parameters besides `Accept-Language`: the
 * gateway may set them per caller.
 */
const isPublicRead = (operation: RestOperation): boolean =>
  isSafe(operation.method) &&
  isDeclaredPublic(operation) &&
  operation.parameters.every(
    ({ in: location, name }) =>
      location === "path" || location === "query" || name.toLowerCase() === "accept-language",
  );

/** Whether a 2xx response may lack the field's value or have null there. */
const mayBeNull = ({ operation, result }: BoundField): boolean =>
  showableResponses(operation).some(({ shape }) => {
    let at = shape;
    for (const step of result) {
      const found = declaredProperty(at, step);
      if (at.nullable || !found?.required) return true;
      at = found.shape;
    }
    return at.nullable || at.types.size === 0;
  });

/** `refusals`: documented statuses of client errors (4xx and `default`). `bareRefusals`: those without a JSON body. */
export function refusalsOf({ responses }: RestOperation) {
  const refusals = responses.filter(({ status }) => /^(?:4|default$)/i.test(status));
  const bare = refusals.filter(({ content }) => !content.some((each) => isJson(each) || includesJson(each)));
  const statusesOf = (some: typeof refusals): string[] => some.map(({ status }) => status);
  return {
    ...(refusals.length > 0 && { refusals: statusesOf(refusals) }),
    ...(bare.length > 0 && { bareRefusals: statusesOf(bare) }),
  };
}

/**
 * Returns the `Accept` header (RFC 9110 §12.5.1), which includes JSON because error responses are JSON. `others`: media types
 * with the same schema as those in `read`.
 */
function acceptOf(read: readonly string[], others: readonly string[]): string {
  const media = new Set(read.map((each) => (includesJson(each) ? "application/json" : each)));
  if (media.size === 0) return "application/json";
  const further = new Set(others.filter((each) => !media.has(each)));
  const hasJson = [...media, ...further].includes("application/json");
  return [
    ...media,
    ...[...further].map((each) => `${each};q=0.9`),
    ...(hasJson ? [] : ["application/json;q=0.5"]),
  ].join(", ");
}
