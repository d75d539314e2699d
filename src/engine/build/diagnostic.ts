/**
 * The rules of `check`, and the type of a finding. An `error` means that the mapping from GraphQL to REST is wrong, so no code
 * is generated. A `warning` fails `check` until `approvals.yaml` approves it. An approval turns a `credential-shared` error
 * into a warning.
 */
import {
  ExpectedFailure,
  type Failure,
  type Fault,
  faultLine,
  withoutPlace,
} from "../shared/cli/command-failure.ts";
import { printable } from "../shared/cli/printable.ts";

/** A location in a source file; `line` and `column` start at 1. */
export type FileLocation = { readonly file: string; readonly line: number; readonly column: number };

/** The object keys and array indexes that lead to a value in a document. */
export type NodePath = readonly (string | number)[];

/** A path in a document; the document may have no value there. */
export type NodeLocation = { readonly file: string; readonly path: NodePath };

/** The stage of a run of `check` that reports a finding. */
export type Stage = "load" | "proof" | "freshness" | "changes" | "impact" | "ledger" | "approvals";

/** A finding with the severity `error` or `warning` fails the run unless it is approved. A `note` never fails the run. */
export type Severity = "error" | "warning" | "note";

export type RuleFacts<S extends Severity = Severity> = {
  readonly severity: S;
  readonly stage: Stage;
  readonly meaning: string;
  /** Set for an error that the project's owner can approve: it reports a decision, not a fault of the mapping. */
  readonly isApprovable?: true;
};

export const ruleOf =
  <S extends Severity>(severity: S) =>
  (meaning: string, stage: Stage = "proof"): RuleFacts<S> => ({ severity, stage, meaning });
const error = ruleOf("error");
const warning = ruleOf("warning");

export const rules = {
  "spec-unreadable": error("A spec file cannot be read, or is not a valid document of its kind.", "load"),
  "ref-unresolved": error("A `$ref` cannot be resolved.", "load"),
  "ref-circular": error("A schema includes itself, by `$ref`, `allOf`, `oneOf` or `anyOf`.", "load"),
  "document-faulty": warning("The document has faults in parts that no field reaches.", "load"),
  "overlay-unused": warning("An action of the overlay selects nothing in the document.", "load"),
  "operation-id-duplicate": error("`@rest` names an `operationId` that several REST operations share."),
  "schema-invalid": error("The GraphQL schema is not valid.", "load"),
  "field-unbound": error("A root field has no `@rest`."),
  "type-unreached": warning("Types of the schema are not reachable from a root field."),
  "operation-unknown": error("`@rest` names an operation that the document does not have."),
  "operation-no-json": error(
    "A bound operation documents no response that is JSON, text or without content (204).",
  ),
  "method-unsupported": error(
    "A field binds an operation whose method cannot be sent (`HEAD`, `OPTIONS`, `TRACE`).",
  ),
  "method-safety": warning("A Query or link field binds an unsafe method, or a Mutation field a safe one."),
  "parameter-unfed": error("Nothing feeds a required parameter or body property."),
  "parameter-unknown": error("`params` names a parameter that the operation does not have."),
  "parameter-fed-twice": error("Two sources feed one parameter."),
  "parameter-style": error(
    "A parameter has a serialization style that is not supported for its location and type (OpenAPI 3.1 §4.8.12.2).",
  ),
  "body-unsent": warning("A bound operation has an optional body in an unsupported media type."),
  "server-ignored": warning("A bound operation has its own servers, but calls do not go there."),
  "path-template": error("The path template and the path parameters do not match."),
  "source-invalid": error("A `from` or `value` is invalid."),
  "enclosing-missing": error(
    "A field uses a value of an enclosing object, or an argument of a field above, that is missing on some path to the field.",
  ),
  "argument-unused": error("An argument feeds nothing."),
  "argument-ambiguous": error("An argument's REST name is ambiguous; `in` resolves it."),
  "result-missing": error("`result` names a property that the response does not have."),
  "property-missing": error("A field reads a property that its REST object does not have."),
  "output-nullable": error("`!` on a value that REST may omit or send as null."),
  "output-type": error("A field's type does not fit the REST value."),
  "output-list": error("List on one side, single value on the other."),
  "map-unfit": error(
    "`@restEntries` is on a value that is not a map, or whose values REST does not describe.",
  ),
  "scalar-format": error("A `DateTime` or `Date` is bound to a REST value of another format."),
  "output-int64": error("A REST integer is too large for `Int`."),
  "output-enum": error("A REST enum value has no GraphQL enum value."),
  "input-type": error("An argument's type does not fit the REST parameter."),
  "input-nullable": error("A nullable source feeds what REST requires."),
  "input-enum": error("The REST parameter rejects a GraphQL enum value."),
  "limit-unchecked": warning(
    "A limit that REST sets on an argument cannot be read, or depends on more than one value, and is not checked.",
  ),
  "request-refused": error(
    "REST refuses whatever an argument or an input object sends, by `not`, `maxProperties` or the like.",
  ),
  "pattern-unchecked": warning(
    "A `pattern` of an argument needs a backtracking engine, so only REST checks it.",
  ),
  "limit-narrower": warning("REST limits a value more strictly in a link's parameter than at its source."),
  "constant-invalid": error("A constant `value`, or an argument's default, violates the parameter's schema."),
  "discriminator-missing": error(
    "A union or interface is bound to a REST value whose members cannot be distinguished.",
  ),
  "member-without-value": error("A union member has no discriminator value."),
  "value-without-member": error("A discriminator value has no union member."),
  "batch-key": error(
    "`batchBy` needs exactly one array parameter fed from the parent, and no other; `in: ITEM` one key.",
  ),
  "batch-match": error(
    "`batchBy` names a property that the items do not have, or whose type differs from the key's.",
  ),
  "batch-cut-off": error("The response to a batched call may be incomplete."),
  "batch-page": warning("A batched list may end before all parents have their items."),
  "batch-paged": error("`in: ITEM` looks up its keys in a list that may have pages."),
  "federation-unsupported": error(
    "A `@requires` or a `@key` of a federation subgraph is in a position where no operation can resolve it.",
  ),
  "entity-unresolved": error(
    "No operation resolves a `@key` of a federation subgraph, and the type has fields beyond those of the key.",
  ),
  "connection-unfit": error(
    "A `connection` lacks its arguments, or names a property that cannot be its list or its cursor.",
  ),
  "connection-pages": error("The document does not confirm how a connection gets its next page."),
  "n-plus-one": warning(
    "A link below a list makes one call per parent, or per object that it takes a value from.",
  ),
  "credential-unsent": warning("A bound operation needs a credential that is not forwarded to REST."),
  "credential-undeclared": warning("The document does not declare which credentials REST accepts."),
  "credential-argument": warning(
    "An argument feeds a parameter that carries a credential, or a header that only a gateway may set.",
  ),
  "credential-shared": {
    ...error("A caller's credential would be sent to the services of several documents."),
    isApprovable: true,
  },
  "held-credential-unfit": error(
    "`spec/credentials.yaml` names something that the documents do not have, or a credential that the server cannot send.",
  ),
  "held-credential-origin": error(
    "A document names a server with another origin than the one that `spec/credentials.yaml` pins for the server's credential.",
  ),
  "held-credential-shared": error(
    "A field uses a credential that all tenants share, and `everyTenantMay` does not list the operation.",
  ),
  "held-credential-write": error(
    "A field writes with a credential of the server, and `writes` does not list the operation.",
  ),
  "held-credential-tenant": error(
    "A client may choose the tenant that `tenantParameters` of `spec/credentials.yaml` fills in.",
  ),
  "fixed-header": error(
    "`spec/credentials.yaml` fixes a header in which the API takes a credential, or which a field feeds.",
  ),
  "error-mapping": error(
    "`x-error-mapping` names a property that the error's schema does not have, or has with another type.",
  ),
  "deprecation-unsaid": warning(
    "A field or an argument without `@deprecated` depends on a deprecated operation, parameter or property.",
  ),
  "saved-operation-invalid": error(
    "A saved operation is not valid against the schema, or has no unique name.",
    "impact",
  ),
} as const satisfies Record<string, RuleFacts<"error" | "warning">>;

export type Rule = keyof typeof rules;

export function isApprovable(rule: Rule): boolean {
  const facts: RuleFacts = rules[rule];
  return facts.severity === "warning" || facts.isApprovable === true;
}

export type Diagnostic = {
  readonly rule: Rule;
  readonly severity: "error" | "warning";
  /** A schema coordinate; for a finding about the OpenAPI document alone, an `operationId` or a `$ref`. */
  readonly coordinate: string;
  readonly message: string;
  /** How to resolve the finding. */
  readonly hint: string;
  /** The location in the GraphQL schema that causes the finding; `rest` is the location in the OpenAPI document. */
  readonly schema?: FileLocation;
  readonly rest?: FileLocation;
  /** Names and values in the finding's fingerprint, so that an approval does not apply to other names and values. */
  readonly facts?: readonly string[];
  /** The OpenAPI nodes that may cause the finding. `rest` points into the first of these nodes. */
  readonly nodes?: readonly NodeLocation[];
  readonly below?: NodePath;
  /** Set if `rest` points to the overlay action that removed a node the GraphQL schema needs. */
  readonly isRemoved?: true;
};

export const createDiagnostic = (found: Omit<Diagnostic, "severity">): Diagnostic => ({
  ...found,
  severity: rules[found.rule].severity,
});

/** Thrown if a spec file cannot be read (exit code 3), or if the mapping has errors (exit code 1). */
export class UnreadableSpec extends ExpectedFailure {
  readonly diagnostics: readonly Diagnostic[];

  /** `elsewhere`: names a spec outside the working tree, such as the base. It replaces the findings' locations. */
  constructor(diagnostics: readonly Diagnostic[], elsewhere?: string) {
    super(diagnostics.map(({ message }) => message).join("\n"), failureOf(diagnostics, elsewhere));
    this.diagnostics = diagnostics;
  }
}

function failureOf(diagnostics: readonly Diagnostic[], elsewhere: string | undefined): Failure {
  const faults = diagnostics.map(faultOf);
  return elsewhere === undefined
    ? { exitCode: diagnostics.some(isUnreadable) ? 3 : 1, faults }
    : { exitCode: 3, faults: faults.map((fault) => withoutPlace(`${elsewhere}: ${faultLine(fault)}`)) };
}

const isUnreadable = ({ rule }: Diagnostic): boolean => rule === "spec-unreadable";

/** Removes an unreadable file's name from the message, because the location contains it. */
function faultOf(diagnostic: Diagnostic): Fault {
  const { rule, schema, rest } = diagnostic;
  const message = printable(diagnostic.message);
  const coordinate = printable(diagnostic.coordinate);
  const places = [schema, rest].filter((place) => place !== undefined);
  if (isUnreadable(diagnostic)) return { message: message.replace(`${coordinate}: `, ""), places };
  return { message: `${rule} at ${coordinate}: ${message}`, places, hint: printable(diagnostic.hint) };
}

export const unreadableSpec = (file: string, message: string, place?: FileLocation): UnreadableSpec =>
  new UnreadableSpec([
    createDiagnostic({
      rule: "spec-unreadable",
      coordinate: file,
      message: `${file}: ${message}`,
      hint: "fix the file",
      rest: place ?? { file, line: 1, column: 1 },
    }),
  ]);
