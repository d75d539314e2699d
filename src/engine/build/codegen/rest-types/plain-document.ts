/**
 * Builds a reduced OpenAPI document for openapi-typescript, from the `Shape`s that the binder checks. It has only the bound
 * operations, their success responses, and the media types that the binding uses.
 */
import { membersOf } from "../../../shared/json-object.ts";
import type { RestDocument } from "../../openapi/document.ts";
import type { Parameter, RestOperation, SuccessResponse } from "../../openapi/operation.ts";
import { annotationsOf, type PlainSchema, PlainSchemas } from "./plain-schemas.ts";

/** `names`: long path → short path. `slots`: operation that openapi-typescript skips → temporary path, where it is a GET. */
export function plainDocument(
  document: RestDocument,
  operations: readonly RestOperation[],
  names: ReadonlyMap<string, string>,
  slots: ReadonlyMap<RestOperation, string>,
): PlainSchema {
  const schemas = new PlainSchemas(document);
  const items = Map.groupBy(operations, ({ path }) => names.get(path) ?? path);
  const paths = [...items].flatMap(([path, bound]) => {
    const known: [string, PlainSchema][] = [];
    const others: [string, PlainSchema][] = [];
    for (const operation of bound) {
      const slot = slots.get(operation);
      const written = plainOperation(schemas, operation);
      if (slot === undefined) known.push([operation.method, written]);
      else others.push([slot, { get: written }]);
    }
    return [[path, Object.fromEntries(known)] as const, ...others];
  });
  return {
    openapi: "3.1.0",
    info: {},
    paths: Object.fromEntries(paths),
    components: { schemas: schemas.components() },
  };
}

function plainOperation(schemas: PlainSchemas, operation: RestOperation): PlainSchema {
  const { id, node, parameters, body, successes } = operation;
  return {
    // omits an `operationId` that is not unique
    ...(membersOf(node.value).operationId === id && { operationId: id }),
    ...annotationsOf(node),
    parameters: parameters.map((each) => plainParameter(schemas, each)),
    ...(body && {
      requestBody: {
        ...annotationsOf(body.node),
        required: body.required,
        content: { [body.media]: { schema: schemas.of(body.shape) } },
      },
    }),
    responses: Object.fromEntries(successes.map((each) => [each.status, plainResponse(schemas, each)])),
  };
}

const plainParameter = (schemas: PlainSchemas, { name, in: place, required, node, shape }: Parameter) => ({
  ...annotationsOf(node),
  name,
  in: place,
  required,
  schema: schemas.of(shape),
});

const plainResponse = (schemas: PlainSchemas, { media, shape }: SuccessResponse): PlainSchema =>
  shape && media !== undefined ? { content: { [media]: { schema: schemas.of(shape) } } } : {};
