/** Determines which input objects the server must convert before it sends them to REST. */
import {
  type GraphQLInputField,
  type GraphQLInputType,
  GraphQLNonNull,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";
import type { Property, Shape } from "../../openapi/shapes/shape.ts";
import type { InputPair, InputPairs } from "../inputs/input-pairs.ts";
import { rejectsNull } from "../inputs/input-source.ts";
import type { OneOfMember } from "../inputs/one-of-member.ts";
import { isIntegerText } from "../scalar-rules.ts";
import type { ConversionId, ConvertedField, InputConversion, SentValue } from "./rest-request.ts";

type Entry = {
  readonly id: ConversionId;
  readonly isChoice?: true;
  isRecursive: boolean;
  fields?: readonly ConvertedField[];
};

export class InputConversions {
  readonly pairs: InputPairs;
  readonly #entries = new Map<InputPair, Entry>();
  readonly #byType = new Map<string, Set<Entry>>();

  constructor(pairs: InputPairs) {
    this.pairs = pairs;
  }

  /** Returns the conversions in order of first use. */
  get all(): InputConversion[] {
    return [...new Set(this.#entries.values())].map(({ id, fields = [], ...how }) => ({
      ...id,
      ...how,
      fields,
    }));
  }

  /** Returns how to convert a value of the GraphQL type to a REST value of this shape. */
  sentValue(type: GraphQLInputType, shape: Shape): SentValue {
    const named = getNamedType(type);
    const takesNull = shape.nullable;
    const target = itemShape(type, shape);
    if (isIntegerText(named, target)) return converted(type, takesNull, { isInteger: true });
    if (!isInputObjectType(named)) return { nulls: nullsOf(type, takesNull) };
    const pair = this.pairs.of(named, target);
    if (!this.#differs(pair, new Set())) return { nulls: nullsOf(type, takesNull) };
    return converted(type, takesNull, { conversion: this.#conversion(named.name, pair, target) });
  }

  /**
   * Whether the input object must be converted: at any depth, REST names a field differently, rejects its null, or expects a
   * number for its ID or enum value.
   */
  #differs(pair: InputPair, seen: Set<InputPair>): boolean {
    if (pair.choosesFrom) return true;
    if (seen.has(pair)) return false;
    seen.add(pair);
    return pair.fields.some(({ field, name, property }) => {
      if (!property) return false;
      const named = getNamedType(field.type);
      return (
        name !== field.name ||
        nullsOf(typeSent(field, property), property.shape.nullable) === "omitted" ||
        isIntegerText(named, itemShape(field.type, property.shape)) ||
        (isInputObjectType(named) &&
          this.#differs(this.pairs.of(named, itemShape(field.type, property.shape)), seen))
      );
    });
  }

  #conversion(type: string, pair: InputPair, written: Shape): ConversionId {
    const known = this.#entries.get(pair);
    if (known) {
      if (!known.fields) known.isRecursive = true;
      return known.id;
    }
    const ofType = this.#byType.get(type) ?? new Set();
    const others = [...ofType];
    const entry: Entry = {
      id: { type, ordinal: others.length + 1 },
      isRecursive: false,
      ...(pair.choosesFrom && { isChoice: true }),
    };
    this.#entries.set(pair, entry);
    this.#byType.set(type, ofType.add(entry));
    entry.fields = pair.fields.map(({ field, name, property, choice }) => {
      const sent = this.sentValue(typeSent(field, property), property?.shape ?? written);
      return choice
        ? { field: field.name, ...chosen(choice), sent: { ...sent, nulls: "never" } }
        : { restName: name, field: field.name, sent };
    });
    const text = JSON.stringify(entry.fields);
    const equal = others.find((other) => JSON.stringify(other.fields) === text) ?? entry;
    this.#entries.set(pair, equal);
    if (equal !== entry) ofType.delete(entry);
    return equal.id;
  }
}

/** Returns the REST name of the chosen `@oneOf` field, and the discriminator value that the conversion adds. */
const chosen = ({
  sent,
  isWholeMember,
  chosenBy,
}: OneOfMember): Pick<ConvertedField, "restName" | "constants"> => ({
  ...(!isWholeMember && { restName: sent.name }),
  ...(chosenBy?.value !== undefined &&
    !chosenBy.isBound && { constants: { [chosenBy.name]: chosenBy.value } }),
});

/** Makes the type non-null if the server rejects a null before the call. */
const typeSent = (field: GraphQLInputField, property: Property | undefined): GraphQLInputType =>
  property && rejectsNull(field, property) ? new GraphQLNonNull(field.type) : field.type;

const nullsOf = (type: GraphQLInputType, takesNull: boolean): SentValue["nulls"] =>
  isNonNullType(type) ? "never" : takesNull ? "sent" : "omitted";

/** Returns the schema of the innermost items of nested lists. */
function itemShape(type: GraphQLInputType, shape: Shape): Shape {
  const bare = getNullableType(type);
  return isListType(bare) && shape.items ? itemShape(bare.ofType, shape.items) : shape;
}

/** For a list, converts each of its items. */
function converted(
  type: GraphQLInputType,
  takesNull: boolean,
  conversion: Pick<SentValue, "conversion" | "isInteger">,
): SentValue {
  const bare = getNullableType(type);
  const nulls = nullsOf(type, takesNull);
  return isListType(bare) // `matchInput` has checked that REST accepts nulls in a list
    ? { nulls, items: converted(bare.ofType, true, conversion) }
    : { nulls, ...conversion };
}
