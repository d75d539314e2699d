/** The unmasked error of a field that became null. */
import type { SourceLocation } from "graphql";

export type Path = { readonly up: Path | undefined; readonly key: string | number };

export const pathKeys = (path: Path | undefined): (string | number)[] =>
  path ? [...pathKeys(path.up), path.key] : [];

/**
 * An error with its path in the response and its locations in the GraphQL document. `GraphQLError` is not used, because it takes
 * fifty times as long to create, and a failed call creates an error for each parent object.
 */
export class FieldError {
  readonly message: string;
  readonly locations: readonly SourceLocation[] | undefined;
  readonly path: readonly (string | number)[];
  readonly originalError: Error;

  constructor(originalError: Error, locations: FieldError["locations"], path: Path | undefined) {
    this.message = originalError.message;
    this.locations = locations;
    this.path = pathKeys(path);
    this.originalError = originalError;
  }
}

/** The error for a REST value that the OpenAPI document does not allow. Clients do not see its message. */
export class ContractViolation extends Error {}
