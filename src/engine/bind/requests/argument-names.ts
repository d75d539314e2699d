/** The argument behind each REST name, so that the server can translate a refusal by REST to the client's names. */
import { getNamedType, isInputObjectType } from "graphql";
import type { RestNames } from "../../schema/rest-names.ts";
import type { FieldBinding } from "../model.ts";
import type { RestRequest } from "./rest-request.ts";

type Names = RestRequest["argumentNames"];

export const argumentNames = (names: RestNames, field: FieldBinding): Names => ({
  ...bodyNames(names, field),
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

/** The properties of an argument that is the whole body. */
function bodyNames(names: RestNames, { wholeBody }: FieldBinding): Names {
  const type = wholeBody && getNamedType(wholeBody.type);
  if (!isInputObjectType(type)) return {};
  return Object.fromEntries(
    Object.values(type.getFields()).map((field) => [
      names.of(field),
      [...(wholeBody?.path ?? []), field.name].join("."),
    ]),
  );
}
