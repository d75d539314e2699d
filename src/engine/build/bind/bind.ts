/** Binds every reachable field of the GraphQL schema to the OpenAPI document. */
import { type GraphQLSchema, isEnumType } from "graphql";
import { heldCredentials } from "../openapi/held-credentials.ts";
import { nodeLocation, readRest } from "../schema/directives.ts";
import { allFields, boundRoots, fieldsOf, unreachableTypes } from "../schema/object-types.ts";
import { readSchema, type SchemaFile } from "../schema/read-schema.ts";
import { RestNames } from "../schema/rest-names.ts";
import { bindField } from "./bind-field.ts";
import { Binder } from "./binder.ts";
import { withKnownNames } from "./checks/credential-names.ts";
import {
  checkCredentialArguments,
  checkSharedCredentials,
  checkUnsentCredentials,
} from "./checks/credentials.ts";
import { deprecations } from "./checks/deprecations.ts";
import { checkHeldCredentials } from "./checks/held-credentials.ts";
import { checkNPlusOne } from "./checks/n-plus-one.ts";
import { semanticNonNull } from "./checks/semantic-non-null.ts";
import { enumValues } from "./enum-values.ts";
import { findOperation } from "./find-operation.ts";
import { Findings } from "./findings.ts";
import { InheritingFields } from "./inheriting-fields.ts";
import { checkInheritedInputs } from "./inputs/check-inherited-inputs.ts";
import {
  type BindResult,
  boundFields,
  type FormerObjects,
  type Model,
  type ModelField,
  type RestApi,
} from "./model.ts";
import { checkErrorMappings } from "./outputs/error-members.ts";
import { addRepresentations, checkFederation, isOfOtherSubgraphs, referencesOf } from "./references.ts";
import { calledOperations } from "./requests/called-operations.ts";
import { InputConversions } from "./requests/input-conversions.ts";
import { resolveRequest } from "./requests/resolve-request.ts";

type BindInput = Pick<
  Model,
  "document" | "operations" | "schema" | "schemaDocument" | "federation" | "held" | "names"
>;

export const bindSdl = (rest: RestApi, sdl: string): BindResult =>
  bind(rest, readSchema("schema.graphql", sdl));

export function bind(
  { document, operations, credentials: written = new Map() }: RestApi,
  { schema, document: schemaDocument, federation, diagnostics }: SchemaFile,
  formerObjects: FormerObjects = new Map(),
): BindResult {
  if (!schema) return { diagnostics };
  const findings = new Findings(document);
  const credentials = withKnownNames({ document, operations }, written, findings);
  const held = heldCredentials(document, operations, credentials);
  const names = new RestNames(schema);
  const input = { document, operations, schema, schemaDocument, federation, held, names };
  const binder = new Binder(input, credentials, findings);
  for (const root of boundRoots(schema))
    for (const definition of Object.values(root.getFields()))
      bindField(binder, { type: root.name, definition });
  if (federation) addRepresentations(binder, federation);
  const subscription = schema.getSubscriptionType();
  for (const field of Object.values(subscription?.getFields() ?? {})) {
    const where = { coordinate: `${subscription?.name}.${field.name}`, schema: nodeLocation(field.astNode) };
    findings.add("field-unbound", where, "subscriptions are not supported", "remove the field");
  }
  const inheriting = new InheritingFields(binder);
  const bindObjects = (): void => {
    do {
      for (let next = binder.nextUnvisited(); next; next = binder.nextUnvisited()) {
        for (const definition of fieldsOf(schema, next.type)) {
          const field = { type: next.type, definition, parent: next.backing };
          if (federation && isOfOtherSubgraphs(binder, federation, field)) continue;
          if (!inheriting.defer(field)) bindField(binder, field);
        }
      }
    } while (inheriting.bind());
  };
  bindObjects();
  for (const [type, objects] of formerObjects) {
    if (binder.backings.has(type)) continue;
    for (const object of objects()) binder.addBacking(type, object);
    bindObjects();
  }
  if (federation) checkFederation(binder, federation);
  checkUnvisitedLinks(binder, federation);
  const conversions = new InputConversions(binder.pairs);
  const fields = inSchemaOrder(input, binder, conversions);
  const { backings, values } = binder;
  const model: Model = {
    ...input,
    pairs: binder.pairs,
    fields,
    inputConversions: conversions.all,
    calledOperations: calledOperations(document, held, credentials, boundFields({ fields })),
    semanticNonNull: semanticNonNull(binder, fields),
    nullOnlyWithoutCall: new Set(
      [...fields.keys()].filter((coordinate) => binder.isNullOnlyWithoutCall(coordinate)),
    ),
    deprecations: deprecations({ ...input, fields, backings, values }, findings),
    abstracts: binder.abstracts,
    backings,
    enums: renamedEnums(schema, names),
    values,
    references: referencesOf(binder, federation),
  };
  checkInheritedInputs(model, findings);
  checkNPlusOne(model, findings);
  checkUnreached(input, findings);
  checkUnsentCredentials(model, findings);
  checkCredentialArguments(model, findings);
  checkSharedCredentials(model, findings);
  checkHeldCredentials(model, credentials, findings);
  checkErrorMappings(model, findings);
  return { model, diagnostics: findings.all };
}

/** Reports unknown operations of fields that were not bound, usually because a field above them has an error. */
function checkUnvisitedLinks(binder: Binder, federation: Model["federation"]): void {
  const { schema, fields, findings } = binder;
  const unreached = new Set(unreachableTypes(schema, entitiesOf(federation)).map(({ name }) => name));
  for (const { type, field } of allFields(schema)) {
    const coordinate = `${type}.${field.name}`;
    if (unreached.has(type) || fields.has(coordinate) || findings.hasErrorAt(coordinate)) continue;
    const directive = readRest(schema, field);
    if (directive)
      findOperation(binder, field, directive, { coordinate, schema: nodeLocation(field.astNode) });
  }
}

/** Reports all types that no GraphQL operation can reach in one warning. */
function checkUnreached({ schema, federation }: BindInput, findings: Findings): void {
  const types = unreachableTypes(schema, entitiesOf(federation));
  const [first] = types;
  if (!first) return;
  const names = types.map(({ name }) => name);
  const subject = types.length === 1 ? `the type ${first.name} is` : `${types.length} types are`;
  findings.add(
    "type-unreached",
    { coordinate: first.name, schema: nodeLocation(first.astNode), facts: names },
    `${subject} not reachable from a root field${types.length === 1 ? "" : `: ${names.join(", ")}`}`,
    "bind a field that returns or takes it, or remove it",
  );
}

const entitiesOf = (federation: Model["federation"]): string[] | undefined =>
  federation?.keys.map(({ type }) => type);

function inSchemaOrder(
  { schema }: BindInput,
  binder: Binder,
  conversions: InputConversions,
): Model["fields"] {
  return new Map(
    allFields(schema).flatMap(({ type, field: { name } }): [string, ModelField][] => {
      const field = binder.fields.get(`${type}.${name}`);
      if (field?.kind !== "bound") return field ? [[field.coordinate, field]] : [];
      return [[field.coordinate, { ...field, request: resolveRequest(conversions, field) }]];
    }),
  );
}

function renamedEnums(schema: GraphQLSchema, names: RestNames): Model["enums"] {
  const enums = Object.values(schema.getTypeMap()).filter(isEnumType);
  const own = enums.filter((type) => type.astNode && type.name !== "RestIn");
  return new Map(
    own.flatMap((type) => {
      const values = enumValues(names, type);
      return [...values].some(([name, rest]) => name !== rest) ? [[type.name, values] as const] : [];
    }),
  );
}
