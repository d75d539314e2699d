/** The rules of changes against a base. `docs/rules.md` is printed from them. */

/** breaking: clients or the mapping fail · dangerous: clients may see a difference · safe: they cannot. */
export type ChangeClass = "breaking" | "dangerous" | "safe";

/** `classes`: those that changes of the rule may have, the usual one first. */
type ChangeFacts = {
  readonly classes: readonly [ChangeClass, ...ChangeClass[]];
  readonly meaning: string;
  /** How clients are spared the change. Absent: there is nothing to do. */
  readonly advice?: string;
};

const of =
  (...classes: ChangeFacts["classes"]) =>
  (meaning: string, advice?: string): ChangeFacts => ({ classes, meaning, ...(advice && { advice }) });
const breaking = of("breaking");
const dangerous = of("dangerous");
const safe = of("safe");

const keepBoth = "deploy REST first, taking both; then the generated layer";
const tellClients = "tell the clients";

/** What REST says otherwise, and no proof sees. */
export const restRules = {
  "rest-operation-moved": breaking("The operation stands at another path.", keepBoth),
  "rest-method-changed": breaking("The operation has another method.", keepBoth),
  "rest-product-changed": dangerous(
    "The first tag is another one, or the document has another name: calls go to another upstream, if the products have addresses of their own.",
    "set `REST_BASE_URL_<TAG>` of the new tag before the deployment",
  ),
  "rest-permission-changed": dangerous(
    "The operation needs another permission (`x-permission`).",
    "give the permission to the callers' keys first",
  ),
  "rest-security-changed": breaking(
    "The operation refuses credentials that it took: another scheme, a scope more, or the same credential in another place.",
    "take the old credentials until nobody sends them",
  ),
  "rest-not-found-changed": dangerous(
    "404 is documented now, or no longer. A documented 404 is `null`, an undocumented one an error.",
    "tell the clients of the field",
  ),
  "rest-error-changed": dangerous(
    "Clients see another text of REST's errors, or none: the schema of an error, or its `x-error-mapping`, says so.",
    "tell the clients that show the messages, or declare the new members in `x-error-mapping`",
  ),
  "rest-answer-removed": breaking(
    "The operation no longer has an answer that is JSON or text, and a field that may be null is null from now on.",
    "keep the JSON answer beside the new one",
  ),
  "rest-list-paged": dangerous(
    "The answer that a field shows as a whole list may be a page now: a parameter, a property beside the list or a header says so.",
    "make the field a connection, or feed the parameter that asks for all, if there is one; tell the clients",
  ),
  "rest-body-changed": breaking(
    "The operation takes its body in another media type, and no longer in the old one.",
    "take a body in both media types until the generated layer is deployed",
  ),
  "rest-parameter-moved": breaking(
    "A parameter that a field feeds stands in another part of the request.",
    keepBoth,
  ),
  "rest-style-changed": breaking("A list or an object is written in another way.", keepBoth),
  "rest-default-changed": dangerous(
    "A parameter that no field feeds has another default.",
    "feed the parameter with a constant if the old value is meant",
  ),
  "rest-type-changed": of("breaking", "dangerous")(
    "A value has another type, which its GraphQL type hides.",
    "add a property of the new type, and keep the old one until no field reads it",
  ),
  "rest-format-changed": of("breaking", "dangerous")(
    "A value has another `format`, which its GraphQL type leaves open.",
    tellClients,
  ),
  "rest-enum-changed": of("breaking", "dangerous")(
    "The values of an enum of REST are others, and its GraphQL type does not say so: it is no enum.",
    "tell the clients of a new value; refuse an old one only after clients stopped sending it",
  ),
  "rest-limit-changed": breaking(
    "A request has a tighter limit (`maximum`, `maxLength`, `pattern`, …).",
    "run codegen: the layer then refuses such values itself, by the argument's name",
  ),
  "rest-nullable-changed": breaking("A request no longer takes null.", "take null until no client sends it"),
  "rest-required-changed": breaking(
    "REST requires a property in the value of a scalar of your own.",
    "make the property optional until all clients send it",
  ),
  "rest-property-removed": breaking(
    "REST no longer describes a property in the value of a scalar of your own.",
    "keep the property until no client sends it",
  ),
  "rest-variants-changed": breaking(
    "The members of a `oneOf` are told apart by another property, or by other values of it.",
    "send both properties until the generated layer is deployed",
  ),
} as const satisfies Record<string, ChangeFacts>;

const keep = (what: string, doing = "selects it"): string => `keep ${what} until no client ${doing}`;

/** What clients see of the schema: those of graphql-js by its names, and then ours. */
export const schemaRules = {
  "sdl-type-removed": breaking("A type is gone.", keep("it", "names it")),
  "sdl-type-changed-kind": breaking("A type is of another kind.", "add a type of another name"),
  "sdl-type-removed-from-union": breaking("A union lost a member.", keep("the member")),
  "sdl-value-removed-from-enum": breaking(
    "An enum lost a value.",
    keep("the value, in REST too,", "sends it"),
  ),
  "sdl-required-input-field-added": breaking(
    "An input type has a new field that clients must send.",
    "make the field nullable, or give it a default",
  ),
  "sdl-implemented-interface-removed": breaking(
    "A type no longer implements an interface.",
    keep("the interface", "selects through it"),
  ),
  "sdl-field-removed": breaking(
    "A field is gone. One that REST deprecates with a sunset (`x-sunset`) goes without an approval after that day.",
    "mark the field `@deprecated` first; remove it when no client selects it",
  ),
  "sdl-field-changed-kind": breaking(
    "A field has another type, which clients may not read.",
    "add a field of the new type",
  ),
  "sdl-required-arg-added": breaking(
    "A field has a new argument that clients must send.",
    "make the argument nullable, or give it a default",
  ),
  "sdl-arg-removed": breaking(
    "An argument is gone. `binding-changed` says that its REST parameter is no longer sent.",
    keep("the argument", "sends it"),
  ),
  "sdl-arg-changed-kind": breaking(
    "An argument has another type, which clients may not send.",
    "add an argument of the new type",
  ),
  "sdl-directive-removed": breaking("A directive that clients may write is gone.", keep("it", "writes it")),
  "sdl-directive-arg-removed": breaking("A directive lost an argument.", keep("the argument", "sends it")),
  "sdl-required-directive-arg-added": breaking(
    "A directive has a new argument that clients must send.",
    "make the argument nullable, or give it a default",
  ),
  "sdl-directive-repeatable-removed": breaking(
    "A directive may stand only once at a place now.",
    "keep `repeatable`",
  ),
  "sdl-directive-location-removed": breaking(
    "A directive may no longer stand at a kind of place.",
    "keep the location",
  ),
  "sdl-value-added-to-enum": dangerous(
    "An enum has a new value: clients that know all of them may fail on it.",
    tellClients,
  ),
  "sdl-type-added-to-union": dangerous(
    "A union has a new member: clients that know all of them may fail on it.",
    tellClients,
  ),
  "sdl-optional-input-field-added": safe("An input type has a new field that clients may leave out."),
  "sdl-optional-arg-added": safe("A field has a new argument that clients may leave out."),
  "sdl-implemented-interface-added": dangerous(
    "A type implements another interface: clients that select through it get the type too.",
    tellClients,
  ),
  "sdl-arg-default-value-change": dangerous(
    "An argument or a field of an input object has another default, or a default for the first time.",
    tellClients,
  ),
  "sdl-default-removed": breaking(
    "An argument or a field of an input object that may not be null has no default now: clients must send it.",
    "keep the default, or make it nullable",
  ),
  "sdl-one-of-added": breaking(
    "An input type takes exactly one of its fields (`@oneOf`): clients that give several, or none, are refused.",
    "add an input type of another name",
  ),
  "sdl-added": safe("A type or a field is new."),
  "binding-changed": dangerous(
    "A field or an enum value reads another REST value than before: clients see other data under the same name.",
    "take the change back, if clients would see other data",
  ),
} as const satisfies Record<string, ChangeFacts>;

export const changeRules = { ...restRules, ...schemaRules };
