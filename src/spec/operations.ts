/** The REST operations of a document as bindings see them (OpenAPI 3.1 §4.8.8 to §4.8.17): method, path, product, parameters, body, answers. */
import type { RestNode } from "./rest-document.ts";
import type { Shape } from "./shape.ts";
import type { Path } from "./yaml-file.ts";

export type Location = "path" | "query" | "header" | "body";

export type Parameter = {
  readonly name: string;
  readonly in: Location;
  readonly required: boolean;
  readonly node: RestNode;
  readonly shape: Shape;
  /** How arrays and objects are written (OpenAPI 3.1 §4.8.12.2). */
  readonly style: string;
  readonly explode: boolean;
  /** `x-limit-per`: the array parameter for each of whose items this one bounds the answer. */
  readonly limitPer?: string;
};

/** A parameter's identity (OpenAPI 3.1 §4.8.12.1: name and location); a header's name is case-insensitive. */
export const inputKey = (parameter: Pick<Parameter, "in" | "name">): string =>
  `${parameter.in}:${parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name}`;

/** A success: its status, its media type, none where no content is documented, and the shape of a JSON one. */
export type Answer = { readonly status: string; readonly media?: string; readonly shape?: Shape };

export type RestOperation = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The first tag, upper case, `-` as `_`: the product whose upstream takes the call. */
  readonly product: string;
  readonly summary?: string;
  readonly permission?: string;
  readonly node: RestNode;
  readonly parameters: readonly Parameter[];
  readonly body?: {
    readonly shape: Shape;
    readonly required: boolean;
    readonly node: RestNode;
    readonly media: string;
  };
  readonly answers: readonly Answer[];
  readonly documents404: boolean;
  /** What it requires and no binding can feed: a cookie, a body that is not JSON. */
  readonly unfeedable: readonly { readonly what: string; readonly node: RestNode; readonly below?: Path }[];
  /** Where its first success stands, as far down as its media type. */
  readonly success: Path;
};

/** The methods that a binding can send; an operation of another is known, and bound by nobody. */
export const boundMethods: readonly string[] = ["get", "post", "put", "patch", "delete"];

/** `GET /things/{id}`: how an operation is called where its `operationId` says too little. */
export const methodAndPath = ({ method, path }: Pick<RestOperation, "method" | "path">): string =>
  `${method.toUpperCase()} ${path}`;

export const isSafe = (method: string): boolean => method === "get";

/** Whether it documents successes, and content for none of them: what it answers is null (204). */
export const answersNothing = ({ answers }: RestOperation): boolean =>
  answers.length > 0 && answers.every(({ media }) => media === undefined);
