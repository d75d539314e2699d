/** The rules for changes between the base and the current spec. `docs/reference/rules.md` is generated from these rules. */

/** `breaking`: clients or the mapping fail. `dangerous`: clients may notice the change. `safe`: clients cannot notice it. */
export type ChangeClass = "breaking" | "dangerous" | "safe";

/** `classes` lists the classes that a change of this rule can have, the default first. */
type ChangeFacts = {
  readonly classes: readonly [ChangeClass, ...ChangeClass[]];
  readonly meaning: string;
  /** How to avoid breaking clients. */
  readonly advice?: string;
};

const of =
  (...classes: ChangeFacts["classes"]) =>
  (meaning: string, advice?: string): ChangeFacts => ({ classes, meaning, ...(advice && { advice }) });
const breaking = of("breaking");
const dangerous = of("dangerous");
const safe = of("safe");

const keepBoth = "deploy REST first, accepting both; then the generated layer";
const tellClients = "tell the clients";

/** Changes of the OpenAPI document after which the mapping is still valid. */
export const restRules = {
  "rest-operation-moved": breaking("The operation has another path.", keepBoth),
  "rest-method-changed": breaking("The operation has another method.", keepBoth),
  "rest-product-changed": dangerous(
    "The first tag or the document's name has changed: calls go to another upstream, if the products have separate base URLs.",
    "set `REST_BASE_URL_<TAG>` of the new tag before the deployment",
  ),
  "rest-server-changed": dangerous(
    "The document's first server has another URL. Calls still go to the base URL that is set.",
    "set the new base URL (`REST_BASE_URL`, in `src/main.ts` and wherever the service runs) once REST answers there",
  ),
  "rest-permission-changed": dangerous(
    "The operation needs another permission (`x-permission`).",
    "give the permission to the callers' keys first",
  ),
  "rest-security-changed": breaking(
    "The operation rejects credentials that it accepted before: another scheme, an additional scope, or another location.",
    "accept the old credentials until no client sends them",
  ),
  "rest-credential-dropped": dangerous(
    "The operation no longer declares a credential, so callers' requests reach REST without it.",
    "keep the security requirement in `spec/overlay.yaml`, unless REST needs no credential any more",
  ),
  "credential-owner-changed": dangerous(
    "`spec/credentials.yaml` gives the operation another credential: the server's instead of the caller's, another file, origin or token endpoint, another tenant parameter, or another permission.",
    "mount the new file and give callers the permission before the deployment",
  ),
  "fixed-header-changed": dangerous(
    "`spec/credentials.yaml` fixes other headers for the product's calls, such as another version of the API.",
    "compare the document with the vendor's changelog of that version",
  ),
  "rest-not-found-changed": dangerous(
    "A 404 response was added to the document or removed. A documented 404 is `null`, an undocumented one an error.",
    "tell the clients of the field",
  ),
  "rest-error-changed": dangerous(
    "Clients see another text of REST's errors, or none, because the schema of an error or its `x-error-mapping` has changed.",
    "tell the clients that show the messages, or declare the new members in `x-error-mapping`",
  ),
  "rest-answer-removed": breaking(
    "The operation no longer has a JSON or text response, so a nullable field is always null.",
    "keep the JSON response in addition to the new one",
  ),
  "rest-list-paged": dangerous(
    "The response that a field shows as a complete list may be a page now, judging by a parameter, a property or a header.",
    "make the field a connection, or feed the parameter that asks for all, if there is one; tell the clients",
  ),
  "rest-body-changed": breaking(
    "The operation accepts its body in another media type, and no longer in the old one.",
    "accept both media types until the generated layer is deployed",
  ),
  "rest-parameter-moved": breaking(
    "A parameter that a field feeds is in another part of the request.",
    keepBoth,
  ),
  "rest-style-changed": breaking("A list or an object is serialized in another style.", keepBoth),
  "rest-default-changed": dangerous(
    "A parameter that no field feeds has another default.",
    "feed the parameter with a constant to keep the old value",
  ),
  "rest-type-changed": of("breaking", "dangerous")(
    "A value has another type, which its GraphQL type does not show.",
    "add a property of the new type, and keep the old one until no field reads it",
  ),
  "rest-format-changed": of("breaking", "dangerous")(
    "A value has another `format`, which its GraphQL type does not show.",
    tellClients,
  ),
  "rest-enum-changed": of("breaking", "dangerous")(
    "The values of a REST enum have changed, and its GraphQL type, which is not an enum, does not show it.",
    "tell the clients about a new value; reject an old one only after clients have stopped sending it",
  ),
  "rest-limit-changed": breaking(
    "A request has a tighter limit (`maximum`, `maxLength`, `pattern`, …).",
    "run codegen: the layer then rejects these values itself, under the argument's name",
  ),
  "rest-nullable-changed": breaking(
    "A request no longer accepts null.",
    "accept null until no client sends it",
  ),
  "rest-required-changed": breaking(
    "REST requires a property in the value of a custom scalar.",
    "make the property optional until all clients send it",
  ),
  "rest-property-removed": breaking(
    "REST no longer describes a property in the value of a custom scalar.",
    "keep the property until no client sends it",
  ),
  "rest-variants-changed": breaking(
    "The members of a `oneOf` are discriminated by another property, or by other values of it.",
    "send both properties until the generated layer is deployed",
  ),
} as const satisfies Record<string, ChangeFacts>;

const keep = (what: string, doing = "selects it"): string => `keep ${what} until no client ${doing}`;

/** Changes of the public schema. Rules for changes that graphql-js detects are named after its change types. */
export const schemaRules = {
  "sdl-type-removed": breaking("A type was removed.", keep("it", "names it")),
  "sdl-type-changed-kind": breaking("A type is of another kind.", "add a type with another name"),
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
    "A field was removed. After its sunset date in REST (`x-sunset`), no approval is needed.",
    "mark the field `@deprecated` first; remove it when no client selects it",
  ),
  "sdl-field-changed-kind": breaking(
    "A field has another type, which clients may not be able to read.",
    "add a field of the new type",
  ),
  "sdl-required-arg-added": breaking(
    "A field has a new argument that clients must send.",
    "make the argument nullable, or give it a default",
  ),
  "sdl-arg-removed": breaking(
    "An argument was removed. `binding-changed` reports that its REST parameter is no longer sent.",
    keep("the argument", "sends it"),
  ),
  "sdl-arg-changed-kind": breaking(
    "An argument has another type, which clients may not be able to send.",
    "add an argument of the new type",
  ),
  "sdl-directive-removed": breaking("A directive that clients may use was removed.", keep("it", "uses it")),
  "sdl-directive-arg-removed": breaking("A directive lost an argument.", keep("the argument", "sends it")),
  "sdl-required-directive-arg-added": breaking(
    "A directive has a new argument that clients must send.",
    "make the argument nullable, or give it a default",
  ),
  "sdl-directive-repeatable-removed": breaking("A directive is no longer repeatable.", "keep `repeatable`"),
  "sdl-directive-location-removed": breaking("A directive lost a location.", "keep the location"),
  "sdl-value-added-to-enum": dangerous(
    "An enum has a new value, on which clients that handle a fixed set may fail.",
    tellClients,
  ),
  "sdl-type-added-to-union": dangerous(
    "A union has a new member, on which clients that handle a fixed set may fail.",
    tellClients,
  ),
  "sdl-optional-input-field-added": safe("An input type has a new optional field."),
  "sdl-optional-arg-added": safe("A field has a new optional argument."),
  "sdl-implemented-interface-added": dangerous(
    "A type implements a new interface: clients that select through it get the type, too.",
    tellClients,
  ),
  "sdl-arg-default-value-change": dangerous(
    "An argument or input field has a different or a new default.",
    tellClients,
  ),
  "sdl-default-removed": breaking(
    "A non-null argument or input field has no default any longer: clients must send it.",
    "keep the default, or make it nullable",
  ),
  "sdl-one-of-added": breaking(
    "An input type accepts exactly one of its fields (`@oneOf`): clients that send several, or none, are rejected.",
    "add an input type with another name",
  ),
  "sdl-added": safe("A type or a field is new."),
  "binding-changed": dangerous(
    "A field or an enum value is bound to a different REST value: clients see different data under the same name.",
    "revert the change if clients would see different data",
  ),
} as const satisfies Record<string, ChangeFacts>;

export const changeRules = { ...restRules, ...schemaRules };
