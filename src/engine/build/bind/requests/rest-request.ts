/** The resolved request of a field. Codegen only prints it. */
import type { JsonSchema } from "../../../shared/json-schema.ts";
import type { InputLocation } from "../../openapi/operation.ts";
import type { InputSource } from "../inputs/input-source.ts";

export type RestRequest = {
  /**
   * The function of the REST client: the HTTP method; `find` or `search`, which return null for a 404; or `send`, for methods
   * without a function, such as COPY.
   */
  readonly method: string;
  readonly parts: readonly RequestPart[];
  /** By argument, the limits of its value, with GraphQL names. `argsAbove.org` is an argument of a field above. */
  readonly argumentSchemas: Readonly<Record<string, JsonSchema>>;
  /** By REST name, the argument that feeds it, if the names differ. Dots lead to the fields of an input object. */
  readonly argumentNames: Readonly<Record<string, string>>;
};

/** The values that are sent in one location, by REST name; or the value that is the whole body. */
export type RequestPart =
  | { readonly in: InputLocation; readonly entries: readonly RequestEntry[] }
  | { readonly in: "body"; readonly whole: RequestValue };

type RequestEntry = { readonly name: string; readonly value: RequestValue };

/** A value to send: from a source, or the keys of a batch. */
export type RequestValue = {
  readonly source: InputSource | "keys";
  readonly sent: SentValue;
  /**
   * The document requires the value in the parent's REST object. If it is absent all the same, the field fails, and no call is
   * made.
   */
  readonly isRequired?: true;
  /** See `isBeyondTypes`: TypeScript cannot verify that REST accepts the value. */
  readonly isUntyped?: true;
};

/** How a GraphQL value is represented in REST. */
export type SentValue = {
  /** never: the value cannot be null · sent: null is sent · omitted: a null is left out of the request. */
  readonly nulls: "never" | "sent" | "omitted";
  /** How the items of a list are represented, if they are converted. */
  readonly items?: SentValue;
  /** The conversion of an input object; absent if it is sent unchanged. */
  readonly conversion?: ConversionId;
  /** The value is the text of an integer, which is sent as a number. */
  readonly isInteger?: true;
};

export type ConversionId = {
  /** The input type. */
  readonly type: string;
  /** The number of the conversion among those of the type, from 1. */
  readonly ordinal: number;
};

/**
 * How an input object is converted to a REST object. A type needs a conversion if REST has other names for its fields or rejects
 * their nulls. It needs several if its REST objects differ in this.
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
