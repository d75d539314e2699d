/**
 * The response headers `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). Each header contains the earliest date of all deprecated
 * fields and arguments in the GraphQL document. A variable of an input type counts as using all fields of the type.
 */
import type { DocumentNode, GraphQLSchema } from "graphql";
import { selectedCoordinates } from "../../shared/selected-coordinates.ts";
import type { GeneratedApi } from "../rest/generated-api.ts";

type Headers = readonly (readonly [name: string, value: string])[];

export type DeprecationHeaders = (document: DocumentNode) => Headers;

/** Returns a function that computes the headers once per document; `undefined` if the schema has no deprecations. */
export function deprecationHeaders(
  schema: GraphQLSchema,
  deprecations: GeneratedApi["deprecations"] = {},
): DeprecationHeaders | undefined {
  const byDocument = new WeakMap<DocumentNode, Headers>();
  if (Object.keys(deprecations).length === 0) return undefined;
  return (document) => {
    const headers =
      byDocument.get(document) ?? headersOf(selectedCoordinates(schema, document), deprecations);
    byDocument.set(document, headers);
    return headers;
  };
}

function headersOf(
  coordinates: ReadonlySet<string>,
  days: NonNullable<GeneratedApi["deprecations"]>,
): Headers {
  const found = Object.entries(days).flatMap(([coordinate, each]) =>
    coordinates.has(coordinate) ? [each] : [],
  );
  const [since] = found.flatMap((each) => each.since ?? []).sort();
  const [sunset] = found.flatMap((each) => each.sunset ?? []).sort();
  return [
    // a Date (RFC 9651 §3.3.7) in seconds
    ...(since === undefined ? [] : [["deprecation", `@${Date.parse(since) / 1_000}`] as const]),
    // an HTTP-date (RFC 9110 §5.6.7)
    ...(sunset === undefined ? [] : [["sunset", new Date(sunset).toUTCString()] as const]),
  ];
}
