/** One field over one parent object: bound to an operation, or reading a property. */

import { type GraphQLField, isNonNullType } from "graphql";
import { bindBatch } from "./bind-batch.ts";
import { checkInputTypes, relyOnInput } from "./bind-input-checks.ts";
import { bindInputs } from "./bind-inputs.ts";
import { matchOutput } from "./bind-outputs.ts";
import { checkRequest } from "./bind-request.ts";
import { matchBound, resultsOf } from "./bind-result.ts";
import type { Binding } from "./binding.ts";
import type { Bound } from "./bound.ts";
import { directivePlace, placeOf, type RestDirective, readRest, readRestName } from "./directives.ts";
import { didYouMean, nearest, type Where } from "./findings.ts";
import type { Backing, BoundField, Input, ModelField } from "./model.ts";
import { boundMethods, inputKey, isSafe } from "./operations.ts";
import { declared } from "./shape.ts";

type Field = GraphQLField<unknown, unknown>;

/** Binds one field; called once for each REST object that backs its type. */
export function bindField(binding: Binding, type: string, field: Field, parent: Backing | undefined): void {
  const where: Where = { coordinate: `${type}.${field.name}`, schema: placeOf(field.astNode) };
  const directive = readRest(binding.schema, field);
  if (directive) bindOperation(binding, type, field, directive, parent, where);
  else if (parent) bindProperty(binding, type, field, parent, where);
  else
    binding.findings.add(
      "field-unbound",
      where,
      `${where.coordinate} is a root field without @rest`,
      "bind it to a REST operation",
    );
}

function bindProperty(binding: Binding, type: string, field: Field, parent: Backing, where: Where): void {
  const { name = field.name, self } = readRestName(binding.schema, field);
  for (const argument of field.args) {
    const at = { coordinate: `${where.coordinate}(${argument.name}:)`, schema: placeOf(argument.astNode) };
    binding.findings.add(
      "argument-unused",
      at,
      `argument "${argument.name}" feeds nothing: ${where.coordinate} reads a property`,
      "remove it, or bind the field with @rest",
    );
  }
  binding.fields.set(where.coordinate, {
    kind: "plain",
    coordinate: where.coordinate,
    type,
    field: field.name,
    ...(!self && { property: name }),
  });
  if (self)
    return matchOutput(binding, where, field.type, {
      shape: parent.shape,
      optional: false,
      expression: parent.expression,
    });
  const property = declared(parent.shape, name);
  if (property?.only === "request") {
    return binding.findings.add(
      "property-missing",
      { ...where, rest: property.node },
      `REST never sends the property "${name}": it is writeOnly`,
      "remove the field",
    );
  }
  if (!property) {
    const near = didYouMean(name, parent.shape.properties.keys());
    return binding.findings.add(
      "property-missing",
      { ...where, rest: parent.shape.node },
      `the REST object has no property "${name}"${near}`,
      "name the property with @restName, or remove the field",
    );
  }
  binding.rely(where.coordinate, property.node);
  const otherwise = `NonNullable<${parent.expression}[${JSON.stringify(name)}]>`;
  const expression = binding.expressionOf(property.shape, otherwise);
  matchOutput(binding, { ...where, rest: property.node }, field.type, {
    shape: property.shape,
    optional: !property.required,
    expression,
  });
}

function bindOperation(
  binding: Binding,
  type: string,
  field: Field,
  directive: RestDirective,
  parent: Backing | undefined,
  where: Where,
): void {
  const operation = binding.operations.get(directive.operation);
  if (!operation) {
    const near = nearest(directive.operation, binding.operations.keys());
    const at = {
      ...where,
      schema: directivePlace(field, "rest", "operation"),
      rest: binding.operations.get(near ?? "")?.node ?? binding.document.root,
      below: [near === undefined ? "paths" : "operationId"],
    };
    return binding.findings.add(
      "operation-unknown",
      at,
      `there is no REST operation "${directive.operation}"${didYouMean(directive.operation, binding.operations.keys())}`,
      "name an operationId of the document",
    );
  }
  const bound: Bound = { field, directive, operation, parent: parent?.shape, where };
  checkMethod(binding, type, bound);
  checkRequest(binding, bound);
  const { inputs: own, wholeBody } = bindInputs(binding, bound);
  const inputs = ofAllBackings(own, binding.fields.get(where.coordinate));
  const [value, ...others] = resultsOf(binding, bound);
  const batch =
    value && directive.batchBy !== undefined ? bindBatch(binding, bound, inputs, value.shape) : undefined;
  checkInputTypes(binding, bound, inputs, batch?.key);
  for (const input of inputs) relyOnInput(binding, where.coordinate, input);
  // a body of single properties is the field's own; one that an argument is belongs to the argument
  if (!wholeBody) binding.relyOnRequest(where.coordinate, operation.body?.node, operation.body?.shape.node);
  const needs = batch ? [] : neededFromParent(inputs);
  const nullOn404 = operation.documents404 && type !== "Mutation" && !isNonNullType(field.type);
  for (const each of value ? [value, ...others] : [])
    matchBound(binding, bound, each, batch, needs.length > 0);
  binding.fields.set(where.coordinate, {
    kind: "bound",
    coordinate: where.coordinate,
    type,
    field: field.name,
    operation,
    inputs,
    result: directive.result?.split(".") ?? [],
    nullOn404,
    needs,
    ...(wholeBody && { wholeBody }),
    ...(batch && { batch }),
    ...(where.schema && { place: where.schema }),
  });
}

/** What the parent may leave out in one of the REST objects that back its type, the field must do without. */
function ofAllBackings(inputs: Input[], before: ModelField | undefined): Input[] {
  const known = before?.kind === "bound" ? before.inputs : [];
  return inputs.map((input) => {
    const other = known.find((each) => inputKey(each) === inputKey(input))?.source;
    return input.source.kind === "parent" && other?.kind === "parent" && other.nullable
      ? { ...input, source: { ...input.source, nullable: true } }
      : input;
  });
}

/** The nullable parent properties that feed required parameters: without any of them there is nothing to ask for. */
const neededFromParent = (inputs: BoundField["inputs"]): BoundField["needs"] =>
  inputs.flatMap(({ required, source }) =>
    required && source.kind === "parent" && source.nullable ? [source] : [],
  );

function checkMethod(binding: Binding, type: string, { operation, where }: Bound): void {
  const at = { ...where, rest: operation.node };
  const method = operation.method.toUpperCase();
  if (!boundMethods.includes(operation.method)) {
    binding.findings.add(
      "method-unsupported",
      at,
      `${where.coordinate} cannot send ${operation.id}, which is ${method}`,
      `bind an operation that is one of ${boundMethods.join(", ").toUpperCase()}`,
    );
  } else if (type === "Mutation" && isSafe(operation.method)) {
    binding.findings.add(
      "method-safety",
      at,
      `${where.coordinate} is a mutation, but ${operation.id} is a ${method}`,
      "bind it under Query",
      [operation.id, method],
    );
  } else if (type !== "Mutation" && !isSafe(operation.method)) {
    binding.findings.add(
      "method-safety",
      at,
      `${where.coordinate} reads, but ${operation.id} is a ${method}`,
      "bind it under Mutation, or approve it if it only searches",
      [operation.id, method],
    );
  }
}
