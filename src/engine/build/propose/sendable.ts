/** Removes a request's unsendable optional parts, so that a field can be proposed without them. */
import { formProperties, nestedMembers, unsupportedStyle } from "../bind/inputs/check-styles.ts";
import type { Parameter, RestOperation } from "../openapi/operation.ts";

export type Sendable = {
  readonly operation: RestOperation;
  /** The optional parts that the field omits, such as `query "expand", an array in style deepObject`. */
  readonly omitted: readonly string[];
};

/** Removes optional parameters and form properties that cannot be serialized, and a form that becomes empty. */
export function withoutUnsendable(operation: RestOperation): Sendable {
  const { body, parameters, unsentBody, unsentCookies } = operation;
  const omitted: string[] = [];
  const isUnsendable = (part: Parameters<typeof unsupportedStyle>[0]): boolean => {
    const how = unsupportedStyle(part);
    if (how !== undefined) omitted.push(`${part.in} "${part.name}", ${how}`);
    return how !== undefined;
  };
  for (const { name } of unsentCookies) omitted.push(name);
  if (unsentBody) omitted.push(`the body of ${unsentBody.media.join(" or ")}`);
  const kept = parameters
    .filter((parameter) => !parameter.isForwarded && (parameter.required || !isUnsendable(parameter)))
    .map((parameter) => withoutNested(parameter, omitted));
  const required = (name: string): boolean => body?.shape.properties.get(name)?.required === true;
  const properties = new Map(body?.shape.properties);
  for (const property of formProperties(operation))
    if (!required(property.name) && isUnsendable(property)) properties.delete(property.name);
  const shape = body?.shape.with({ properties: () => properties });
  const isEmptyForm = body?.formStyles !== undefined && !body.required && properties.size === 0;
  const { body: _, ...others } = operation;
  return {
    omitted,
    operation: {
      ...others,
      parameters: kept,
      ...(body && shape && !isEmptyForm && { body: { ...body, shape } }),
    },
  };
}

/** Removes the parameter's optional members that are objects or lists. */
function withoutNested(parameter: Parameter, omitted: string[]): Parameter {
  const nested = nestedMembers(parameter).filter(({ required }) => !required);
  if (nested.length === 0) return parameter;
  const names = nested.map(({ name }) => name);
  omitted.push(`${names.map((name) => `"${name}"`).join(", ")} of ${parameter.in} "${parameter.name}"`);
  const kept = [...parameter.shape.properties].filter(([name]) => !names.includes(name));
  return { ...parameter, shape: parameter.shape.with({ properties: () => new Map(kept) }) };
}
