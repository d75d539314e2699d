/** The resolved requests of the model: codegen prints them and decides nothing. */
import type { JsonSchema } from "../../../shared/json-schema.ts";
import type { InputLocation } from "../../openapi/operation.ts";
import type { InputSource } from "../inputs/input-source.ts";

export type RestRequest = {
  /** The method of the REST client: the HTTP method, or `find`, which reads a 404 response as null. */
  readonly method: string;
  readonly parts: readonly RequestPart[];
  /**
   * Argument → the limits of its value under GraphQL names; `argsAbove.org` is an argument of a field above. An argument
   * without limits is left out.
   */
  readonly argumentSchemas: Readonly<Record<string, JsonSchema>>;
  /** REST name → argument, where the two names differ. A dot separates the steps into an input object. */
  readonly argumentNames: Readonly<Record<string, string>>;
};

/** The values of one location, by REST name; or one value that is the whole body. */
export type RequestPart =
  | { readonly in: InputLocation; readonly entries: readonly RequestEntry[] }
  | { readonly in: "body"; readonly whole: RequestValue };

type RequestEntry = { readonly name: string; readonly value: RequestValue };

/** A value of a source, or the collected keys of a batch, in the form in which REST receives it. */
export type RequestValue = {
  readonly source: InputSource | "keys";
  readonly sent: SentValue;
  /** The document requires the value in the parent's REST object. Without it the call is not made, and the field fails. */
  readonly isRequired?: true;
  /**
   * TypeScript cannot prove that REST takes the value: it takes one of several objects, or the type has a property
   * of responses alone.
   */
  readonly isUntyped?: true;
};

/** The form in which REST receives a GraphQL value. */
export type SentValue = {
  /** never: the value is not null · sent: a null is sent as it is · omitted: a null is left out of the request. */
  readonly nulls: "never" | "sent" | "omitted";
  /** The form of a list's items, if they are converted. */
  readonly items?: SentValue;
  /** The conversion of an input object; absent: the value is sent as it is. */
  readonly conversion?: ConversionId;
  /** The value is the text of an integer, and is sent as a number. */
  readonly isInteger?: true;
};

export type ConversionId = {
  /** The input type. */
  readonly type: string;
  /** Counts the conversions of one type from 1. */
  readonly ordinal: number;
};

/**
 * Turns an input object into a REST object. A type needs one if REST has other names for its fields or refuses their
 * nulls; it needs several if its REST objects differ in that.
 */
export type InputConversion = ConversionId & {
  /** Whether the conversion calls itself. TypeScript cannot infer the type of its result then. */
  readonly isRecursive: boolean;
  readonly fields: readonly ConvertedField[];
  /** Exactly one of the fields is given (`@oneOf`). */
  readonly isChoice?: true;
};

export type ConvertedField = {
  /** Absent: the value is the whole that REST receives, with the constants in it. */
  readonly restName?: string;
  readonly field: string;
  readonly sent: SentValue;
  readonly constants?: Readonly<Record<string, string>>;
};
