/** Builds the arguments of a proposed field, and the GraphQL input types for a REST request. */
import { printable } from "../../shared/cli/printable.ts";
import { membersOf } from "../../shared/json-object.ts";
import { rejectionReason } from "../bind/inputs/check-constants.ts";
import {
  discriminateRequest,
  unboundRequiredProperties,
  withoutProperty,
} from "../bind/inputs/one-of-member.ts";
import { exceedsInt } from "../bind/scalar-rules.ts";
import { matchesVariantName, variantName, variantNames } from "../bind/variant-names.ts";
import type { Parameter, RestOperation } from "../openapi/operation.ts";
import {
  declaredProperty,
  isOnly,
  requestProperties,
  type Shape,
  type Variant,
  type Variants,
} from "../openapi/shapes/shape.ts";
import {
  fieldName,
  isIdName,
  normalizeName,
  restNameDirective,
  splitWords,
  typeName,
} from "../schema/graphql-names.ts";
import type { FoundPage } from "./pages.ts";
import { deprecatedDirective, descriptionLines, nameFrom, uniqueNames } from "./proposed-names.ts";
import { scalarType } from "./scalar-types.ts";
import { describedBy, descriptionOf, type TypeDefinitions } from "./type-definitions.ts";

export class InputTypes {
  readonly #definitions: TypeDefinitions;
  readonly #operation: RestOperation;
  readonly #named: ReadonlyMap<string, readonly Parameter[]>;
  readonly #names: readonly string[];

  constructor(definitions: TypeDefinitions, operation: RestOperation) {
    this.#definitions = definitions;
    this.#operation = operation;
    this.#names = operation.parameters.map(({ name }) => name);
    this.#named = Map.groupBy(operation.parameters, ({ name }) => name);
  }

  /** Returns the SDL lines of an argument. If the argument is for paging, it has the type that a connection requires. */
  argument(own: string, parameter: Parameter, page: FoundPage | undefined): string[] {
    const { name, shape, required, in: location } = parameter;
    const isAmbiguous = (this.#named.get(name)?.length ?? 0) > 1;
    const type =
      parameter === page?.after
        ? "String"
        : parameter === page?.first
          ? `Int${defaultLength(shape)}`
          : (isAnyText(parameter) ? "String" : this.#input(shape, typeName(name), name, false)) +
            (required ? "!" : "");
    const at = location === "header" || isAmbiguous ? location : undefined;
    // GraphQL does not allow deprecation of required arguments
    const deprecated = type.endsWith("!") ? "" : deprecatedDirective(parameter.node, shape.node);
    // REST's description would be wrong here, because it describes a page number or an offset, but clients send a cursor
    const isCounted = parameter === page?.after && (page.pages === "NUMBERED" || page.pages === "OFFSET");
    const isListByName = name.endsWith("[]") && location === "query" && !shape.types.has("array");
    return [
      ...(isListByName
        ? [
            `# One value, as REST documents ${printable(name)}. If it takes several, document an array, in an overlay.`,
          ]
        : []),
      ...(isCounted ? [] : descriptionLines(describedBy(parameter), "")),
      `${own}: ${type}${restNameDirective(own, name, at ? [] : this.#names, at)}${deprecated}`,
    ];
  }

  bodyArgument({ shape, required }: NonNullable<RestOperation["body"]>): string {
    const wanted = typeName(nameFrom(this.#operation));
    return `input: ${this.#input(shape, wanted, "", true)}${required ? "!" : ""}`;
  }

  /** Returns the input type for a REST value. `name` is the name of the parameter or property that has this value. */
  #input(shape: Shape, wanted: string, name: string, inBody: boolean): string {
    if (isOnly(shape, "array") && shape.items) return `[${this.#input(shape.items, wanted, name, inBody)}!]`;
    if (isOnly(shape, "object")) return this.#inputObject(shape, wanted);
    if (isOnly(shape, "integer")) {
      // only the type ID can represent an integer of any size, because it sends the integer as text
      if (isIdName(name) && !shape.values) return "ID";
      if (exceedsInt(shape)) return inBody ? this.#definitions.json() : "ID";
    }
    return scalarType(this.#definitions, shape, wanted);
  }

  #inputObject(shape: Shape, wanted: string): string {
    const fields = requestProperties(shape);
    const shared = new Set(fields.map(({ name }) => name));
    const { members = [shape] } = shape;
    const isComplete = (each: Shape): boolean => unboundRequiredProperties(each, shared).length === 0;
    // an input type shows only the properties that all members share, so it could not send the other properties of a member
    const hasOnlyShared = (each: Shape): boolean =>
      requestProperties(each).every(({ name }) => shared.has(name));
    const isInputType = isComplete(shape) && members.some(isComplete) && members.every(hasOnlyShared);
    if (fields.length === 0 || !isInputType || requiresItself(shape))
      return this.#choice(shape, wanted) ?? this.#definitions.json();
    const names = uniqueNames(
      fields.map(({ name }) => name),
      fieldName,
    );
    return this.#definitions.define(shape, wanted, "Input", (name) => [
      ...descriptionLines(descriptionOf(shape.node), ""),
      `input ${name} {`,
      ...fields.flatMap((property, index) => {
        const { name: rest, shape: value, required } = property;
        const own = names[index] ?? rest;
        const type =
          this.#input(value, name.replace(/Input$/, "") + typeName(rest), rest, true) + (required ? "!" : "");
        const deprecated = required ? "" : deprecatedDirective(property.node, value.node);
        return [
          ...descriptionLines(describedBy(property), "  "),
          `  ${own}: ${type}${restNameDirective(own, rest, shape.properties.keys())}${deprecated}`,
        ];
      }),
      "}",
    ]);
  }

  /** An `@oneOf` input type with a field per member of a `oneOf` of objects; `undefined` unless each member has a unique name. */
  #choice(shape: Shape, wanted: string): string | undefined {
    const { property, members = [] }: Partial<Variants> = shape.variants
      ? discriminateRequest(shape.variants)
      : {};
    const rests = members.map((member) => member.values[0] ?? variantName(member));
    const isNameless = (member: Variant): boolean =>
      property === undefined && variantNames(member).length === 0;
    const own = members.map((member, index) =>
      isNameless(member) ? wordFor(member, members) : rests[index],
    );
    const isChosen = (member: Variant, index: number): boolean => {
      const chosenBy = property === undefined ? undefined : declaredProperty(member.shape, property);
      const isNamed = isNameless(member)
        ? own[index] !== undefined
        : members.find((each) => matchesVariantName(rests[index] ?? "", each)) === member;
      const isAccepted = !chosenBy || rejectionReason(chosenBy.shape, member.values[0]) === undefined;
      return isOnly(member.shape, "object") && isNamed && isAccepted;
    };
    if (members.length < 2 || !members.every(isChosen)) return undefined;
    const names = uniqueNames(
      own.map((word = "") => word),
      fieldName,
    );
    return this.#definitions.define(shape, wanted, "Input", (own) => [
      ...descriptionLines(descriptionOf(shape.node), ""),
      `input ${own} @oneOf {`,
      ...members.map((member, index) => {
        const [name = "", rest = ""] = [names[index], rests[index]];
        const sent = property === undefined ? member.shape : withoutProperty(member.shape, property);
        const restName = normalizeName(name) === normalizeName(rest) ? "" : restNameDirective(name, rest, []);
        const type = isNameless(member) ? wanted + typeName(name) : typeName(member.name ?? rest);
        const deprecated = deprecatedDirective(member.shape.node);
        return `  ${name}: ${this.#inputObject(sent, type)}${restName}${deprecated}`;
      }),
      "}",
    ]);
  }
}

/** Names an anonymous union member by its title, or by a property that no other member has, preferably a required one. */
function wordFor({ shape }: Variant, members: readonly Variant[]): string | undefined {
  const { title } = membersOf(shape.node.value);
  if (typeof title === "string" && splitWords(title).length > 0) return title;
  const own = requestProperties(shape).filter(({ name }) =>
    members.every((each) => each.shape === shape || !each.shape.properties.has(name)),
  );
  return (own.find(({ required }) => required) ?? own[0])?.name;
}

/** Whether every object of this type must contain another object of the same type. A GraphQL input type cannot express this. */
function requiresItself(shape: Shape): boolean {
  const seen = new Set<string>();
  const waiting = [shape];
  for (const next of waiting)
    for (const { required, shape: value } of requestProperties(next)) {
      if (!required || !isOnly(value, "object") || seen.has(value.identity.text)) continue;
      if (value.identity.text === shape.identity.text) return true;
      seen.add(value.identity.text);
      waiting.push(value);
    }
  return false;
}

/**
 * Whether the parameter accepts any text: it is an untyped path or header parameter, or allows strings and other simple types. An
 * untyped query parameter does not count, because it may be a list.
 */
function isAnyText({ shape, in: location, style }: Parameter): boolean {
  const { types, values, contradiction } = shape;
  if (values || contradiction !== undefined || style === "json") return false;
  if (types.size === 0) return location === "path" || location === "header";
  return types.size > 1 && types.has("string") && !types.has("array") && !types.has("object");
}

/** The default of the page size argument if REST has none: a connection must know its page size. */
function defaultLength({ limits }: Shape): string {
  if (Number.isInteger(limits.default)) return "";
  const { minimum: least, maximum: most } = limits;
  const upTo = typeof most === "number" ? Math.min(Math.floor(most), 20) : 20;
  return ` = ${typeof least === "number" ? Math.max(Math.ceil(least), upTo) : Math.max(1, upTo)}`;
}
