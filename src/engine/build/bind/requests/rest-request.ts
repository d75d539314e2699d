/** A bound field's request, resolved by `resolve-request.ts` and printed by codegen. */
import type { JsonSchema } from "../../../shared/json-schema.ts";
import type { InputLocation } from "../../openapi/operation.ts";
import type { InputSource } from "../inputs/input-source.ts";

export type RestRequest = {
  /** The HTTP method; `find` and `search` are GET and QUERY that return null for a 404. */
  readonly method: string;
  readonly parts: readonly RequestPart[];
  /** Argument → limits of its value, with GraphQL names. `argsAbove.org` is the argument `org` of a field above. */
  readonly argumentSchemas: Readonly<Record<string, JsonSchema>>;
  /** REST name → the argument with another name that feeds it, such as `input.color` for a field of an input object. */
  readonly argumentNames: Readonly<Record<string, string>>;
};

/** The values in one location of the request, or the value that is the whole body. */
export type RequestPart =
  | { readonly in: InputLocation; readonly entries: readonly RequestEntry[] }
  | { readonly in: "body"; readonly whole: RequestValue };

type RequestEntry = { readonly name: string; readonly value: RequestValue };

export type RequestValue = {
  readonly source: InputSource | "keys";
  readonly sent: SentValue;
  /** The document requires the value in the parent's REST object, so if it is missing, the field fails without a call. */
  readonly isRequired?: true;
  /** TypeScript cannot check the value against the REST types (`isBeyondTypes`). */
  readonly isUntyped?: true;
};

/** How a GraphQL value is converted for REST. */
export type SentValue = {
  /** `never`: the value cannot be null. `sent`: null is sent. `omitted`: the request omits null. */
  readonly nulls: "never" | "sent" | "omitted";
  /** The conversion of a list's items. */
  readonly items?: SentValue;
  /** The conversion of an input object, unless REST accepts it unchanged. */
  readonly conversion?: ConversionId;
  /** The value is a string of digits, which is sent as a number. */
  readonly isInteger?: true;
};

export type ConversionId = {
  readonly type: string;
  /** Numbers the conversions of the type, starting at 1. */
  readonly ordinal: number;
};

/**
 * Converts an input object to a REST object. A type has several conversions if REST names or limits its fields differently in
 * different operations.
 */
export type InputConversion = ConversionId & {
  /** Whether the conversion calls itself: TypeScript then needs a result type. */
  readonly isRecursive: boolean;
  readonly fields: readonly ConvertedField[];
  /** The type is a `@oneOf` type: clients set exactly one of its fields. */
  readonly isChoice?: true;
};

export type ConvertedField = {
  /** The field's name in REST; undefined if its value, together with `constants`, is the whole REST object. */
  readonly restName?: string;
  readonly field: string;
  readonly sent: SentValue;
  readonly constants?: Readonly<Record<string, string>>;
};
