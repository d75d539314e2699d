/** The argument behind each REST name, so that the server can translate a refusal by REST to the client's names. */
import { getNamedType, isInputObjectType } from "graphql";
import type { InputPairs } from "../inputs/input-pairs.ts";
import type { FieldBinding } from "../model.ts";
import type { RestRequest } from "./rest-request.ts";

type Names = RestRequest["argumentNames"];

export const argumentNames = (pairs: InputPairs, field: FieldBinding): Names => ({
  ...bodyNames(pairs, field),
  ...inputNames(field),
});

const inputNames = ({ inputs }: FieldBinding): Names =>
  Object.fromEntries(
    inputs.flatMap(({ name, source }) => {
      const isArgument = source.kind === "argument" || source.kind === "argumentAbove";
      const argument = isArgument ? source.path.join(".") : name;
      return argument === name ? [] : [[name, argument]];
    }),
  );

/**
 * The properties of an argument that is the whole body. A property that several members of a choice have, or that no field
 * feeds, is the argument's.
 */
function bodyNames(pairs: InputPairs, { wholeBody, operation }: FieldBinding): Names {
  const type = wholeBody && getNamedType(wholeBody.type);
  if (!isInputObjectType(type) || !operation.body) return {};
  const path = wholeBody?.path ?? [];
  const { fields } = pairs.of(type, operation.body.shape);
  const found = fields.flatMap(({ field, name, choice }): [name: string, argument: string][] => {
    const at = [...path, field.name];
    if (!choice?.isWhole) return [[choice?.sent.name ?? name, at.join(".")]];
    const member = getNamedType(field.type);
    const own = isInputObjectType(member) ? pairs.of(member, choice.sent.shape).fields : [];
    return [
      ...own.map((each): [string, string] => [each.name, [...at, each.field.name].join(".")]),
      ...(choice.chosenBy ? [[choice.chosenBy.name, path.join(".")] as [string, string]] : []),
    ];
  });
  const all = Map.groupBy(found, ([name]) => name);
  return Object.fromEntries(
    [...all].map(([name, [first, ...others]]) => [
      name,
      others.length > 0 ? path.join(".") : (first?.[1] ?? ""),
    ]),
  );
}
