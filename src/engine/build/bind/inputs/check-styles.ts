/** Checks the styles in which parameters and form bodies are serialized. */
import { getNamedType, isInputObjectType } from "graphql";
import { own } from "../../../shared/own.ts";
import { inputKey, type Parameter, type RestOperation } from "../../openapi/operation.ts";
import { type Property, requestProperties } from "../../openapi/shapes/shape.ts";
import type { FieldContext } from "../field-context.ts";
import type { Input } from "../model.ts";
import type { ArgumentSource } from "./input-source.ts";

/** Checks that each value of a call can be serialized in the style of its parameter or form property. */
export function checkStyles(
  field: FieldContext,
  inputs: readonly Input[],
  wholeBody: ArgumentSource | undefined,
): void {
  const { parameters, body } = field.operation;
  const fed = new Set(inputs.map(inputKey));
  const type = wholeBody && getNamedType(wholeBody.type);
  const names =
    isInputObjectType(type) &&
    Object.values(type.getFields()).map((each) =>
      field.binder.names.resolve(each, body?.shape.properties ?? new Map()),
    );
  for (const parameter of parameters)
    if (parameter.required || fed.has(inputKey(parameter))) checkStyle(field, parameter);
  for (const input of inputs) checkMembers(field, input);
  for (const property of formProperties(field.operation)) {
    // a custom scalar may contain any property
    const isSent = wholeBody ? !names || names.includes(property.name) : fed.has(inputKey(property));
    if (isSent) checkStyle(field, property);
  }
}

type Styled = Pick<Parameter, "shape" | "style" | "node" | "name" | "in">;

export const formProperties = ({ body }: RestOperation): Styled[] =>
  [...(body?.formStyles ?? [])].flatMap(([name, { style }]) => {
    const property = body?.shape.properties.get(name);
    return property && style !== "json" && property.only !== "response"
      ? [{ ...property, in: "body" as const, style }]
      : [];
  });

/** Location and type → the styles (OpenAPI 3.1 §4.8.12.2) that `src/engine/runtime/rest/encode.ts` supports. */
const sendableStyles: Record<string, readonly string[]> = {
  "path array": ["simple"],
  "path value": ["simple"],
  "query array": ["form", "spaceDelimited", "pipeDelimited", "json"],
  "query object": ["form", "deepObject", "json"],
  "query value": ["form", "json"],
  "body array": ["form", "spaceDelimited", "pipeDelimited"],
  "body object": ["form", "deepObject"],
  "header array": ["simple"],
  "header object": ["simple"],
  "header value": ["simple"],
};

/** Returns a text such as `an array in style deepObject`, or `undefined` for a supported style. */
export function unsupportedStyle({ shape, style, in: location }: Styled): string | undefined {
  const kind = kindOf(shape);
  const sent = own(sendableStyles, `${location} ${kind}`) ?? [];
  if (sent.includes(style) && !isNested(shape, style)) return undefined;
  if (style === "file") return "a file";
  const how =
    style === "content"
      ? "in a media type of its own"
      : isNested(shape, style)
        ? "of arrays or objects"
        : `in style ${style}`;
  return `${kind === "value" ? "a value" : `an ${kind}`} ${how}`;
}

const kindOf = ({ types }: Styled["shape"]): string =>
  types.has("array") ? "array" : types.has("object") ? "object" : "value";

/**
 * Returns the members that the object's style cannot represent: objects, lists, and in style deepObject also names with brackets.
 */
export const nestedMembers = ({ shape, style }: Pick<Styled, "shape" | "style">): Property[] =>
  style === "json" || !shape.types.has("object")
    ? []
    : requestProperties(shape).filter(
        (each) => kindOf(each.shape) !== "value" || (style === "deepObject" && brackets.test(each.name)),
      );

const brackets = /[[\]]/;

/** Whether the style can never represent the value, such as a list of lists or an object that requires a nested member. */
function isNested(shape: Styled["shape"], style: string): boolean {
  const { types, items } = shape;
  if (style !== "json" && types.has("array") && items) return kindOf(items) !== "value";
  const nested = nestedMembers({ shape, style });
  return (
    nested.some(({ required }) => required) || (nested.length > 0 && nested.length === shape.properties.size)
  );
}

function checkMembers({ binder, operation, where }: FieldContext, { source, name, in: at }: Input): void {
  const parameter = operation.parameters.find((each) => each.in === at && each.name === name);
  const type = source.kind === "argument" ? getNamedType(source.type) : undefined;
  if (!parameter || !isInputObjectType(type) || unsupportedStyle(parameter) !== undefined) return;
  const { properties } = parameter.shape;
  const fed = new Set(Object.values(type.getFields()).map((each) => binder.names.resolve(each, properties)));
  for (const member of nestedMembers(parameter))
    if (fed.has(member.name))
      binder.findings.add(
        "parameter-style",
        { ...where, rest: member.node },
        `"${member.name}" of ${at} "${name}" of ${operation.id} ${howNested(member)}, which style ${parameter.style} cannot represent`,
        `remove it from input ${type.name}`,
      );
}

function howNested({ shape }: Property): string {
  const kind = kindOf(shape);
  return kind === "value" ? "has brackets in its name" : `is an ${kind}`;
}

function checkStyle({ binder, operation, where }: FieldContext, parameter: Styled): void {
  const { shape, style, node, name, in: location } = parameter;
  const how = unsupportedStyle(parameter);
  if (how === undefined) return;
  const sent = own(sendableStyles, `${location} ${kindOf(shape)}`) ?? [];
  binder.findings.add(
    "parameter-style",
    { ...where, rest: node, below: ["style"] },
    `${location} "${name}" of ${operation.id} is ${how}, which cannot be sent there`,
    style === "file"
      ? "leave it out: clients send files to REST itself"
      : style.endsWith(" in a part")
        ? "remove `style` and `explode` from its encoding, in an overlay if the document is a vendor's, if REST takes a list as repeated parts and an object as JSON; or leave it out"
        : sent.length > 0 && !isNested(shape, style)
          ? `give it style ${sent.filter((name) => name !== "json").join(" or ")}`
          : "give it a simpler type",
  );
}
