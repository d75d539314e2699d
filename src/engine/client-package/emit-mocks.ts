/**
 * The mocks module of the client package: Mock Service Worker handlers that match an operation by name or id and return the
 * response that the server would return, such as data, an error of a product, or a 429.
 */
import { boundFields, type Model } from "../build/bind/model.ts";
import { literal, objectLiteral } from "../build/codegen/typescript-text.ts";
import { boundRoots } from "../build/schema/object-types.ts";
import { dateScalars } from "../shared/date-scalars.ts";
import { own } from "../shared/own.ts";
import { typedDocumentPackage } from "./emit-modules.ts";

const samples = { "date-time": "2026-01-31T12:00:00Z", date: "2026-01-31" };

export function emitMocks(model: Model): string {
  const scalars = [...dateScalars].flatMap(([name, format]) =>
    model.schema.getType(name) ? [[name, `() => ${literal(own(samples, format))}`] as const] : [],
  );
  const roots = new Set(boundRoots(model.schema).map(({ name }) => name));
  const ofRoots = boundFields(model).filter(({ type }) => roots.has(type));
  const products = [...Map.groupBy(ofRoots, ({ operation }) => operation.product || "REST")].map(
    ([product, fields]) => [product, literal(fields.map(({ definition }) => definition.name))] as const,
  );
  return `import type { TypedDocumentNode } from "${typedDocumentPackage.name}";
import type { FieldNode, SelectionSetNode } from "graphql";
import { delay, type HttpHandler, HttpResponse, http } from "msw";
import { type ApiError, ErrorCode } from "./errors.js";

/** A sample value for each scalar, for \`@graphql-tools/mock\`. */
export const scalars: Record<string, () => string> = ${objectLiteral(scalars)};

/** The root fields of each product, which are null while it is down. */
export const products: Record<${products.map(([name]) => literal(name)).join(" | ") || "never"}, readonly string[]> = ${objectLiteral(products)};

/** Answers the operation with \`data\`. Pass it to \`setupServer\` or \`setupWorker\`; it ignores all other requests. */
export const answers = <Data>(document: TypedDocumentNode<Data, never>, data: Data): HttpHandler =>
  handler(document, () => HttpResponse.json({ data } as object));

/** The caller lacks the permission for these root fields: each is null, with an error. */
export const forbidden = <Data>(
  document: TypedDocumentNode<Data, never>,
  data: Data,
  ...fields: (keyof Data & string)[]
): HttpHandler => partial(document, data, fields, ErrorCode.FORBIDDEN, "The caller may not read this.");

/** A product is down: each of its root fields in \`data\` is null, with an error. */
export const productDown = <Data>(
  document: TypedDocumentNode<Data, never>,
  data: Data,
  product: keyof typeof products,
): HttpHandler => {
  const keys = rootFields(document).flatMap(({ name, alias }) =>
    products[product].includes(name.value) ? [(alias ?? name).value] : [],
  );
  return partial(document, data, keys, ErrorCode.UPSTREAM_UNAVAILABLE, "The service is not available.");
};

/**
 * Values of a mutation are refused: its first root field is null, with an error that names the arguments. \`details\` describes
 * what is wrong with each argument. An error about several arguments has \`extensions.errors\`.
 */
export const refused = (
  document: TypedDocumentNode<unknown, never>,
  details: Readonly<Record<string, string>>,
): HttpHandler => {
  const items = Object.entries(details).map(([argument, detail]) => ({ argument, detail }));
  const keys = rootFields(document).map(({ name, alias }) => (alias ?? name).value);
  const message = items.map(({ argument, detail }) => \`\${argument}: \${detail}\`).join("; ");
  const extensions = {
    code: ErrorCode.BAD_USER_INPUT,
    requestId,
    detail: message,
    ...(items[0] && { argument: items[0].argument }),
    ...(items.length > 1 && { errors: items }),
  };
  const errors = [{ message, path: keys.slice(0, 1), extensions }];
  const data = Object.fromEntries(keys.map((key) => [key, null]));
  return handler(document, () => HttpResponse.json({ errors, data }));
};

/** The caller is above its rate limit for \`retryAfter\` seconds: a 429 without data. */
export const rateLimited = (document: TypedDocumentNode<unknown, never>, retryAfter: number = 2): HttpHandler => {
  const extensions = { code: ErrorCode.RATE_LIMITED, requestId, retryAfter };
  const error = { message: "Too many requests.", extensions };
  return handler(document, () => withoutData(429, error, { "Retry-After": String(retryAfter) }));
};

/** The key is wrong, expired or revoked: a 401 without data. */
export const unauthenticated = (document: TypedDocumentNode<unknown, never>): HttpHandler => {
  const error = { message: "the API key is not valid", extensions: { code: ErrorCode.UNAUTHENTICATED, requestId } };
  return handler(document, () => withoutData(401, error));
};

/** Answers after \`ms\` milliseconds. */
export const slow = <Data>(document: TypedDocumentNode<Data, never>, data: Data, ms: number = 3_000): HttpHandler =>
  handler(document, async () => {
    await delay(ms);
    return HttpResponse.json({ data } as object);
  });

const requestId = "00000000-0000-4000-8000-000000000000";

function withoutData(status: number, error: ApiError, headers: Record<string, string> = {}): Response {
  // with this media type, clients read the errors in spite of the status (GraphQL over HTTP §6.4.2)
  const type = { "Content-Type": "application/graphql-response+json" };
  return HttpResponse.json({ errors: [error] } as object, { status, headers: { ...type, ...headers } });
}

/** The root fields of the operation, also those in its inline fragments, as a deferred part has them. */
function rootFields(document: TypedDocumentNode<unknown, never>): FieldNode[] {
  const fieldsOf = ({ selections }: SelectionSetNode): FieldNode[] =>
    selections.flatMap((each) => {
      if (each.kind === "Field") return [each];
      return each.kind === "InlineFragment" ? fieldsOf(each.selectionSet) : [];
    });
  return document.definitions.flatMap((each) =>
    each.kind === "OperationDefinition" ? fieldsOf(each.selectionSet) : [],
  );
}

function partial<Data>(
  document: TypedDocumentNode<Data, never>,
  data: Data,
  fields: readonly string[],
  code: ErrorCode,
  message: string,
): HttpHandler {
  const failing = Object.keys(data as object).filter((name) => fields.includes(name));
  const errors: ApiError[] = failing.map((name) => ({ message, path: [name], extensions: { code, requestId } }));
  const left = { ...data, ...Object.fromEntries(failing.map((name) => [name, null])) };
  return handler(document, () => HttpResponse.json({ errors, data: left } as object));
}

type Asked = {
  readonly query?: string;
  readonly operationName?: string | null;
  readonly documentId?: string;
  readonly extensions?: { readonly persistedQuery?: { readonly sha256Hash?: string } };
};

function handler(
  document: TypedDocumentNode<unknown, never>,
  respond: () => Response | Promise<Response>,
): HttpHandler {
  const { definitions, __meta__ } = document as typeof document & { readonly __meta__?: { readonly hash: string } };
  const name = definitions.flatMap((each) => (each.kind === "OperationDefinition" ? [each.name?.value] : []))[0];
  return http.all("*/v1/graphql", async ({ request }) => {
    const { query = "", operationName, documentId, extensions } = await readAsked(request.clone() as Request);
    const id = documentId ?? extensions?.persistedQuery?.sha256Hash;
    const [, first] = /\\b(?:query|mutation)\\s+(\\w+)/.exec(query) ?? [];
    const isAsked = (operationName ?? first) === name || (id !== undefined && id === __meta__?.hash);
    return isAsked ? (respond() as never) : undefined;
  });
}

async function readAsked(request: Request): Promise<Asked> {
  if (request.method !== "GET") return (await request.json()) as Asked;
  const { extensions, ...asked } = Object.fromEntries(new URL(request.url).searchParams);
  return { ...asked, ...(extensions !== undefined && { extensions: JSON.parse(extensions) }) };
}
`;
}
