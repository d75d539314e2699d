/** The request of a bound field, which `resolve-request.ts` resolves and codegen prints. */
import type { JsonSchema } from "../../../shared/json-schema.ts";
import type { InputLocation } from "../../openapi/operation.ts";
import type { InputSource } from "../inputs/input-source.ts";

export type RestRequest = {
  /** The HTTP method, or `find` or `search`, which are functions of the REST client that return null for a 404. */
  readonly method: string;
  readonly parts: readonly RequestPart[];
  /** Argument → the limits of its value, with GraphQL names. `argsAbove.org` is an argument of a field above. */
  readonly argumentSchemas: Readonly<Record<string, JsonSchema>>;
  /** REST name → the argument that feeds it, if the names differ. Dots lead to fields of an input object. */
  readonly argumentNames: Readonly<Record<string, string>>;
};

/** The values in one location of the request, by REST name, or the value that is the whole body. */
export type RequestPart =
  | { readonly in: InputLocation; readonly entries: readonly RequestEntry[] }
  | { readonly in: "body"; readonly whole: RequestValue };

type RequestEntry = { readonly name: string; readonly value: RequestValue };

export type RequestValue = {
  readonly source: InputSource | "keys";
  readonly sent: SentValue;
  /**
   * The document requires the value in the parent's REST object. If it is missing nevertheless, the field fails without a call.
   */
  readonly isRequired?: true;
  /** See `isBeyondTypes`: TypeScript cannot verify that REST accepts the value. */
  readonly isUntyped?: true;
};

/** The representation of a GraphQL value in REST. */
export type SentValue = {
  /** `never`: the value cannot be null. `sent`: null is sent. `omitted`: a null is omitted from the request. */
  readonly nulls: "never" | "sent" | "omitted";
  /** The representation of a list's items, if they are converted. */
  readonly items?: SentValue;
  /** The conversion of an input object; absent if it is sent unchanged. */
  readonly conversion?: ConversionId;
  /** The value is an integer as text, which is sent as a number. */
  readonly isInteger?: true;
};

export type ConversionId = {
  readonly type: string;
  /** Numbers the conversions of the type, starting at 1. */
  readonly ordinal: number;
};

/**
 * Converts an input object to a REST object. A type needs a conversion if REST has other names for its fields or rejects their
 * nulls, and several conversions if its REST objects differ in these respects.
 */
export type InputConversion = ConversionId & {
  /** Whether the conversion calls itself, so that TypeScript cannot infer the type of its result. */
  readonly isRecursive: boolean;
  readonly fields: readonly ConvertedField[];
  /** The type is a `@oneOf` type: clients set exactly one field. */
  readonly isChoice?: true;
};

export type ConvertedField = {
  /** The field's name in REST. Undefined if the field's value, with `constants`, is the whole REST object. */
  readonly restName?: string;
  readonly field: string;
  readonly sent: SentValue;
  readonly constants?: Readonly<Record<string, string>>;
};
