/** The resolved requests of the model, which codegen only prints. */
import type { JsonSchema } from "../../../shared/json-schema.ts";
import type { InputLocation } from "../../openapi/operation.ts";
import type { InputSource } from "../inputs/input-source.ts";

export type RestRequest = {
  /**
   * The function of the REST client: the HTTP method, or `find` or `search`, which return null for a 404. The client's `send`
   * takes methods that have no function, such as COPY.
   */
  readonly method: string;
  readonly parts: readonly RequestPart[];
  /**
   * Argument → limits of its value with GraphQL names; `argsAbove.org` is an argument of a field above. Arguments without limits
   * are left out.
   */
  readonly argumentSchemas: Readonly<Record<string, JsonSchema>>;
  /** REST name → argument, if the names differ, with dots before fields of an input object. */
  readonly argumentNames: Readonly<Record<string, string>>;
};

/** The values of a location by REST name, or a value that is the whole body. */
export type RequestPart =
  | { readonly in: InputLocation; readonly entries: readonly RequestEntry[] }
  | { readonly in: "body"; readonly whole: RequestValue };

type RequestEntry = { readonly name: string; readonly value: RequestValue };

/** The value of a source, or the collected keys of a batch, and its representation in REST. */
export type RequestValue = {
  readonly source: InputSource | "keys";
  readonly sent: SentValue;
  /** The document requires the value in the parent's REST object. Without it, the field fails and no call is made. */
  readonly isRequired?: true;
  /**
   * TypeScript cannot verify that REST accepts the value: REST accepts one of several objects, or the type has a property that
   * only responses have.
   */
  readonly isUntyped?: true;
};

/** The representation of a GraphQL value in REST. */
export type SentValue = {
  /** never: the value is never null · sent: null is sent · omitted: null is left out of the request. */
  readonly nulls: "never" | "sent" | "omitted";
  /** The representation of a list's items, if they are converted. */
  readonly items?: SentValue;
  /** The conversion of an input object; undefined if the value is sent unchanged. */
  readonly conversion?: ConversionId;
  /** The value is the text of an integer, and is sent as a number. */
  readonly isInteger?: true;
};

export type ConversionId = {
  /** The input type. */
  readonly type: string;
  /** Numbers the conversions of a type, from 1. */
  readonly ordinal: number;
};

/**
 * Converts an input object to a REST object. A type needs a conversion if REST has other names for its fields or rejects their
 * nulls, and several conversions if its REST objects differ in these respects.
 */
export type InputConversion = ConversionId & {
  /** Whether the conversion is recursive, so that TypeScript cannot infer its result type. */
  readonly isRecursive: boolean;
  readonly fields: readonly ConvertedField[];
  /** Exactly one of the fields is set (`@oneOf`). */
  readonly isChoice?: true;
};

export type ConvertedField = {
  /** Undefined if the value, with the constants, is the whole REST object. */
  readonly restName?: string;
  readonly field: string;
  readonly sent: SentValue;
  readonly constants?: Readonly<Record<string, string>>;
};
