/** The unmasked error of a planned field that became null. */
import type { SourceLocation } from "graphql";

export type Path = { readonly up: Path | undefined; readonly key: string | number };

export const pathKeys = (path: Path | undefined): (string | number)[] =>
  path ? [...pathKeys(path.up), path.key] : [];

/**
 * An error with its path in the response and its locations in the document. Creating the same `GraphQLError` takes fifty times as
 * long, and a failed call creates one error for each of its parents.
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

/**
 * The error for a value from REST that the OpenAPI document does not allow. Its message is the one of graphql-js, which clients
 * do not see.
 */
export class ContractViolation extends Error {}
