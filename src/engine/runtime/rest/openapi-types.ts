/**
 * Derives the types of REST calls from the types that openapi-typescript generates. An optional input may be null. An enumerated
 * input has the type string, number or boolean: the argument's schema or its enum has already refused wrong values.
 */

/** `Paths` is the type `paths` in the output of openapi-typescript. */
export type PathFor<Paths extends object, Method extends string> = {
  [Path in keyof Paths]: Paths[Path] extends Readonly<Record<Method, unknown>> ? Path : never;
}[keyof Paths];

export type OperationAt<
  Paths extends object,
  Path extends keyof Paths,
  Method extends string,
> = Paths[Path][Method & keyof Paths[Path]];

/**
 * A value in path, query or header. REST receives the value as text, so an `ID` is assignable to an integer parameter, and an
 * integer to a string parameter.
 */
type Wire<T> = T extends string
  ? string | number
  : T extends number
    ? number | string
    : T extends boolean
      ? boolean
      : T extends readonly (infer Item)[]
        ? readonly Wire<Item>[]
        : T extends object
          ? { readonly [Key in keyof T]: Wire<T[Key]> | (undefined extends T[Key] ? null : never) }
          : T;

type Json<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends boolean
      ? boolean
      : T extends readonly (infer Item)[]
        ? readonly Json<Item>[]
        : T extends object
          ? { readonly [Key in keyof T]: Json<T[Key]> }
          : T;

type Parameters<Operation, In extends string> = Operation extends { parameters: { [Key in In]?: infer T } }
  ? NonNullable<T>
  : never;

type Section<In extends string, T> = [T] extends [never]
  ? unknown
  : Record<never, never> extends T
    ? { readonly [Key in In]?: T }
    : { readonly [Key in In]: T };

type Body<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? { readonly body: Json<Content[keyof Content]> }
  : Operation extends { requestBody?: { content: infer Content } }
    ? { readonly body?: Json<Content[keyof Content]> | null }
    : unknown;

/** `link` is called with the `Link` header and the value of a 2xx response. If `link` throws an error, the call fails. */
export type TakesLink = { readonly link?: (header: string | string[] | undefined, value: unknown) => void };

/** The input of a call: a section per parameter location. A section is optional if all its parameters are optional. */
export type Init<Operation> = Section<"path", Wire<Parameters<Operation, "path">>> &
  Section<"query", Wire<Parameters<Operation, "query">>> &
  Section<"header", Wire<Parameters<Operation, "header">>> &
  Body<Operation> &
  TakesLink;

/** Paths of operations that require no input. */
export type BarePathFor<Paths extends object, Method extends string> = {
  [Path in PathFor<Paths, Method>]: Record<never, never> extends Init<OperationAt<Paths, Path, Method>>
    ? Path
    : never;
}[PathFor<Paths, Method>];

type Success = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | "2XX";

/** Responses with these statuses have no content, whatever the OpenAPI document declares. */
type Empty = 204 | 205;

/** Media types that the binder treats as JSON. */
type JsonMedia = `${string}json${string}` | "*/*" | "application/*";

/** The type of the JSON body, or `string` if the body is not JSON. */
type ContentBody<Content, Json = Extract<keyof Content, JsonMedia>> = [Json] extends [never]
  ? string
  : Content[Json & keyof Content];

/** The type of a 2xx body. Includes null if the OpenAPI document declares a 2xx response without content. */
export type SuccessBody<Operation, Body = DocumentedBody<Operation>> = [Body] extends [never] ? null : Body;

type DocumentedBody<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Status in keyof Responses]: Status extends Success
        ? Status extends Empty
          ? null
          : Responses[Status] extends { content: infer Content extends object }
            ? ContentBody<Content>
            : null
        : never;
    }[keyof Responses]
  : never;

/** The type of the value at a path; includes null if a property on the path is nullable or optional. */
export type ValueAt<T, Steps extends readonly string[]> = Steps extends readonly [
  infer Step extends string,
  ...infer Below extends readonly string[],
]
  ? Step extends keyof NonNullable<T>
    ?
        | ValueAt<NonNullable<T>[Step], Below>
        | (null extends T ? null : never)
        | (undefined extends T ? null : never)
    : unknown
  : T;

/** The type null if at least one inherited value is nullable, otherwise `never`. */
export type NullFor<Nullable extends readonly unknown[]> = Nullable extends readonly [] ? never : null;
