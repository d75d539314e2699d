/** Decides which input objects must be converted for REST, and collects their conversions. */
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";
import type { Shape } from "../../openapi/shapes/shape.ts";
import type { RestNames } from "../../schema/rest-names.ts";
import { takenObject } from "../inputs/taken-object.ts";
import { isIntegerText } from "../type-rules.ts";
import type { ConversionId, ConvertedField, InputConversion, SentValue } from "./rest-request.ts";

type Entry = { readonly id: ConversionId; isRecursive: boolean; fields?: readonly ConvertedField[] };

export class InputConversions {
  readonly names: RestNames;
  /** By input type and REST schema. Two equal conversions of one type share an entry. */
  readonly #entries = new Map<string, Entry>();
  readonly #byType = new Map<string, Set<Entry>>();

  constructor(names: RestNames) {
    this.names = names;
  }

  /** In the order of their first use. */
  get all(): InputConversion[] {
    return [...new Set(this.#entries.values())].map(({ id, isRecursive, fields = [] }) => ({
      ...id,
      isRecursive,
      fields,
    }));
  }

  /** The form in which a value of `type` is sent to a REST value of `shape`. */
  sentValue(type: GraphQLInputType, shape: Shape): SentValue {
    const named = getNamedType(type);
    const takesNull = shape.nullable;
    const target = itemShape(type, shape);
    if (isIntegerText(named, target)) return converted(type, takesNull, { isInteger: true });
    if (!isInputObjectType(named)) return { nulls: nullsOf(type, takesNull) };
    if (!this.#differs(named, target, new Set())) return { nulls: nullsOf(type, takesNull) };
    return converted(type, takesNull, { conversion: this.#conversion(named, target) });
  }

  /** Whether a REST object of `shape` differs from `type` in a name, in taking nulls or in a number, at any depth. */
  #differs(type: GraphQLInputObjectType, shape: Shape, seen: Set<string>): boolean {
    const key = keyOf(type, shape);
    if (seen.has(key)) return false;
    seen.add(key);
    const { properties } = takenObject(this.names, type, shape);
    return Object.values(type.getFields()).some((field) => {
      const name = this.names.of(field);
      const property = properties.get(name);
      if (!property) return false;
      const named = getNamedType(field.type);
      return (
        name !== field.name ||
        nullsOf(field.type, property.shape.nullable) === "omitted" ||
        isIntegerText(named, itemShape(field.type, property.shape)) ||
        (isInputObjectType(named) && this.#differs(named, itemShape(field.type, property.shape), seen))
      );
    });
  }

  #conversion(type: GraphQLInputObjectType, shape: Shape): ConversionId {
    const key = keyOf(type, shape);
    const known = this.#entries.get(key);
    if (known) {
      if (!known.fields) known.isRecursive = true;
      return known.id;
    }
    const ofType = this.#byType.get(type.name) ?? new Set();
    const others = [...ofType];
    const entry: Entry = { id: { type: type.name, ordinal: others.length + 1 }, isRecursive: false };
    this.#entries.set(key, entry);
    this.#byType.set(type.name, ofType.add(entry));
    const { properties } = takenObject(this.names, type, shape);
    entry.fields = Object.values(type.getFields()).map((field) => {
      const restName = this.names.of(field);
      const property = properties.get(restName)?.shape ?? shape;
      return { restName, field: field.name, sent: this.sentValue(field.type, property) };
    });
    const text = JSON.stringify(entry.fields);
    const equal = others.find((other) => JSON.stringify(other.fields) === text) ?? entry;
    this.#entries.set(key, equal);
    if (equal !== entry) ofType.delete(entry);
    return equal.id;
  }
}

const keyOf = (type: GraphQLInputObjectType, shape: Shape): string => `${type.name} ${shape.identity.text}`;

const nullsOf = (type: GraphQLInputType, takesNull: boolean): SentValue["nulls"] =>
  isNonNullType(type) ? "never" : takesNull ? "sent" : "omitted";

/** The shape of the objects in a list of any depth. */
function itemShape(type: GraphQLInputType, shape: Shape): Shape {
  const bare = getNullableType(type);
  return isListType(bare) && shape.items ? itemShape(bare.ofType, shape.items) : shape;
}

/** A null in a list keeps its position: `matchInput` has checked that REST takes it. */
function converted(
  type: GraphQLInputType,
  takesNull: boolean,
  conversion: Pick<SentValue, "conversion" | "isInteger">,
): SentValue {
  const bare = getNullableType(type);
  const nulls = nullsOf(type, takesNull);
  return isListType(bare)
    ? { nulls, items: converted(bare.ofType, true, conversion) }
    : { nulls, ...conversion };
}
