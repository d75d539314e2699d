/** Pairs each input object type with the REST object to which its values are converted. */
import type { GraphQLInputField, GraphQLInputObjectType } from "graphql";
import { mergeShapes } from "../../openapi/shapes/merge-shapes.ts";
import { declaredProperty, type Property, Shape, type Variants } from "../../openapi/shapes/shape.ts";
import type { RestNames } from "../../schema/rest-names.ts";
import {
  discriminateRequest,
  findOneOfMember,
  type OneOfMember,
  unboundRequiredProperties,
} from "./one-of-member.ts";
import type { Sent } from "./sent.ts";

export type InputPair = {
  /** Schema of the REST object; among alternatives, the first that has all fields of the type. */
  readonly shape: Shape;
  readonly fields: readonly PairedField[];
  /** The members of REST's `oneOf`, if the type is a `@oneOf` type. `shape` then has one property per field. */
  readonly choosesFrom?: Variants;
};

/** `property`: the REST property that the field feeds, if it exists. */
type PairedField = {
  readonly field: GraphQLInputField;
  readonly name: string;
  readonly property?: Property | undefined;
  readonly choice?: OneOfMember;
};

export class InputPairs {
  readonly names: RestNames;
  /** Cache of `sentOf`. */
  readonly sent = new Map<InputPair, Sent>();
  readonly #pairs = new Map<string, InputPair>();

  constructor(names: RestNames) {
    this.names = names;
  }

  /** `written`: the schema as in the document, which may be a `oneOf`. */
  of(type: GraphQLInputObjectType, written: Shape): InputPair {
    const key = `${type.name} ${written.identity.text}`;
    const known = this.#pairs.get(key);
    if (known) return known;
    const { variants } = written;
    const pair =
      type.isOneOf && variants ? this.#chosen(type, written, variants) : this.#wholeObject(type, written);
    this.#pairs.set(key, pair);
    return pair;
  }

  #wholeObject(type: GraphQLInputObjectType, written: Shape): InputPair {
    const shape = this.#sentObject(type, written);
    const fields = Object.values(type.getFields()).map((field): PairedField => {
      const name = this.names.resolve(field, shape.properties);
      return { field, name, property: shape.properties.get(name) };
    });
    return { shape, fields };
  }

  #chosen(type: GraphQLInputObjectType, { node }: Shape, variants: Variants): InputPair {
    const choices = discriminateRequest(variants);
    const fields = Object.values(type.getFields()).map((field): PairedField => {
      const choice = findOneOfMember(this.names, field, choices);
      return { field, name: field.name, ...(choice && { choice, property: choice.sent }) };
    });
    const sent = fields.flatMap(({ name, property }) => (property ? [[name, property] as const] : []));
    const shape = new Shape({ node, types: ["object"], properties: () => new Map(sent) });
    return { shape, fields, choosesFrom: variants };
  }

  /** If `shape` lacks fields of the type, merges it with its first alternative that has them. */
  #sentObject(type: GraphQLInputObjectType, shape: Shape): Shape {
    const { properties, members = [] } = shape;
    const known = new Set(
      [properties, ...members.map((each) => each.properties)].flatMap((each) => [...each.keys()]),
    );
    const names = Object.values(type.getFields()).map((field) => this.names.resolve(field, known));
    const others = names.filter((name) => !declaredProperty(shape, name));
    if (others.length === 0) return shape;
    const fed = new Set(names);
    const having = members.filter((member) => others.every((name) => declaredProperty(member, name)));
    const member = having.find((each) => unboundRequiredProperties(each, fed).length === 0) ?? having[0];
    return member ? mergeShapes(shape, member, member.node) : shape;
  }
}
