/** Checks that calls forward the credentials that REST requires, and that clients cannot set them by arguments. */
import { membersOf } from "../../../shared/json-object.ts";
import {
  canonicalHeader,
  defaultContextPrefix,
  isGatewayHeader,
  isNeverCredential,
} from "../../../shared/never-credentials.ts";
import { entriesOf, type RestDocument, type RestNode, type RootNode, refOf } from "../../openapi/document.ts";
import { type InputLocation, inputKey } from "../../openapi/operation.ts";
import {
  declaresSecurity,
  headerOf,
  ownHeaderOf,
  schemesOf,
  securityRequirementsOf,
  securitySchemesOf,
} from "../../openapi/security.ts";
import { nodeLocation } from "../../schema/directives.ts";
import { atArgument } from "../field-context.ts";
import type { Findings } from "../findings.ts";
import { formatSource } from "../inputs/input-source.ts";
import { type BoundField, boundFields, type Model } from "../model.ts";

/** Reports an OpenAPI document without credentials, and security schemes with a credential that the server never forwards. */
export function checkUnsentCredentials(model: Model, findings: Findings): void {
  const { document, operations, held } = model;
  const fields = boundFields(model).filter(({ operation }) => !held.has(operation));
  for (const root of document.roots) {
    const overlay = document.overlayAt(root);
    const first = fields.find(({ operation }) => operation.root === root);
    if (first && !declaresSecurity(root, operations.values()))
      findings.add(
        "credential-undeclared",
        {
          coordinate: `${root.name ?? ""}#/security`,
          schema: nodeLocation(first.definition.astNode),
          rest: root,
          facts: [],
        },
        "the document does not declare which credentials REST accepts, so none are forwarded",
        `declare them in the document or in ${overlay}, with \`security\` and \`securitySchemes\`; \`security: []\` means that it accepts none${byHeader(model, root)}`,
      );
  }
  for (const field of fields) {
    const { root } = field.operation;
    const { owner } = securityRequirementsOf(field.operation);
    const unsent = schemesOf(document, field.operation).map((schemes) =>
      schemes.filter(({ node }) => !isSent(field, node)),
    );
    if (unsent.some(({ length }) => length === 0)) continue;
    for (const [index, schemes] of unsent.entries()) {
      for (const { name, node: scheme } of schemes) {
        const at = scheme ? { rest: scheme } : { rest: owner, below: ["security", index, name] };
        const isOwnHeaderUsable = mayCarryCredential(ownHeaderOf(scheme));
        const isRequestHeaderUsable = mayCarryCredential(headerOf(scheme));
        const sent =
          isOwnHeaderUsable && !isRequestHeaderUsable
            ? `which comes in the header ${headerOf(scheme)}`
            : sentAs(scheme);
        const coordinate = `${root.name ?? ""}#/components/securitySchemes/${name}`;
        findings.add(
          "credential-unsent",
          { coordinate, schema: nodeLocation(field.definition.astNode), ...at, facts: [sent] },
          `a bound operation needs the credential "${name}", ${sent}: ${isOwnHeaderUsable && isRequestHeaderUsable ? "only request headers are forwarded to REST" : "that header never travels to REST as a credential"}`,
          isOwnHeaderUsable && (isInQueryOrCookie(scheme) || !isRequestHeaderUsable)
            ? `name the ${isRequestHeaderUsable ? "" : "other "}request header that contains it, by \`x-from-header\` in the scheme (${document.overlayAt(root)}); or approve it if something in front of REST adds "${name}"`
            : `let the operation take ${isOwnHeaderUsable ? "a" : "another"} header, or approve it if something in front of REST adds "${name}"`,
        );
      }
    }
  }
}

const credentialName = /auth|key|token|secret|credential/i;

/** Suggests a security scheme for a header that every operation requires and that is named like a credential (`X-Api-Key`). */
function byHeader({ operations }: Model, root: RootNode): string {
  const own = [...operations.values()].filter((operation) => operation.root === root);
  const [first, ...others] = own.map(
    ({ parameters }) =>
      new Set(parameters.flatMap((each) => (each.in === "header" && each.required ? [each.name] : []))),
  );
  const shared = [...(first ?? [])].filter(
    (name) => credentialName.test(name) && others.every((names) => names.has(name)),
  );
  const [name] = shared;
  if (name === undefined || shared.length > 1) return "";
  const scheme = `{ key: { type: apiKey, in: header, name: ${JSON.stringify(name)} } }`;
  return `. Every operation requires the header ${name}: if that is the credential, write { target: $, update: { security: [{ key: [] }], components: { securitySchemes: ${scheme} } } }`;
}

/**
 * Whether the header may contain a credential. True for `undefined`, because the credential is then in the query or in a cookie.
 */
const mayCarryCredential = (header: string | undefined): boolean =>
  header === undefined || !isNeverCredential(header);

/** Whether calls send the credential in a forwarded header, or in a parameter that the field feeds. */
function isSent({ inputs }: BoundField, scheme: RestNode | undefined): boolean {
  if (
    headerOf(scheme) !== undefined &&
    mayCarryCredential(headerOf(scheme)) &&
    mayCarryCredential(ownHeaderOf(scheme))
  )
    return true;
  const { type, in: location, name } = membersOf(scheme?.value);
  if (type !== "apiKey") return false;
  const key = inputKey({ in: location as InputLocation, name: String(name) });
  return inputs.some((each) => inputKey(each) === key);
}

function isInQueryOrCookie(scheme: RestNode | undefined): boolean {
  const { type, in: location } = membersOf(scheme?.value);
  return type === "apiKey" && (location === "query" || location === "cookie");
}

function sentAs(scheme: RestNode | undefined): string {
  const { type, in: location, name } = membersOf(scheme?.value);
  if (!scheme) return "which the document does not define";
  return type === "apiKey" ? `which goes in the ${location} as ${name}` : `which is of type ${type}`;
}

/**
 * Reports arguments that set a credential: a client could send another caller's. Includes credentials that the operation does not
 * require.
 */
export function checkCredentialArguments(model: Model, findings: Findings): void {
  const { document, fields: all } = model;
  const credentials = new Map(document.roots.map((root) => [root, credentialParameters(document, root)]));
  for (const field of all.values()) {
    if (field.kind !== "bound") continue;
    const { coordinate, definition, inputs, operation } = field;
    for (const { source, name, in: location, node } of inputs) {
      if (source.kind !== "argument" && source.kind !== "argumentAbove") continue;
      const scheme = credentials.get(operation.root)?.get(parameterKey(location, name));
      const isGateways = location === "header" && isGatewayHeader(defaultContextPrefix, name);
      if (!scheme && !isGateways) continue;
      const argument = definition.args.find(
        (each) => source.kind === "argument" && each.name === source.path[0],
      );
      const where = argument
        ? atArgument({ coordinate }, argument)
        : { coordinate, schema: nodeLocation(definition.astNode) };
      findings.add(
        "credential-argument",
        { ...where, rest: node, also: [scheme], facts: [name] },
        `${formatSource(source)} feeds ${location} "${name}", which ${isGateways ? "only a gateway may set" : "carries a credential: a client could use another caller's"}`,
        `${isGateways || location === "header" ? "remove it" : `remove it, and name the request header that contains the credential, by \`x-from-header\` in the scheme (${document.overlayAt(operation.root)})`}; or approve it if clients may choose the value`,
      );
    }
  }
}

/** Header or query parameter → the security scheme that sends its credential there. */
function credentialParameters(document: RestDocument, root: RootNode): Map<string, RestNode> {
  return new Map(
    entriesOf(document, securitySchemesOf(document, root)).flatMap((scheme): [string, RestNode][] => {
      const { type, in: location, name } = membersOf(scheme.value);
      const header = ownHeaderOf(scheme);
      if (header !== undefined) return [[parameterKey("header", header), scheme]];
      return type === "apiKey" && location === "query" ? [[parameterKey("query", String(name)), scheme]] : [];
    }),
  );
}

/** Normalizes header names, because some servers do not distinguish `X_Key` from `X-Key`. */
const parameterKey = (location: InputLocation, name: string): string =>
  inputKey({ in: location, name: location === "header" ? canonicalHeader(name) : name });

// If two documents declare a credential in the same header, a caller's credential for one service is also sent to the other. The
// project's owner has to approve that in `spec/approvals.yaml`.

/** `field`: the first bound field that needs the security scheme. */
type Use = {
  readonly root: RootNode;
  readonly name: string;
  readonly scheme: RestNode;
  readonly field: BoundField;
};

/** Reports security schemes of different documents that use the same header. */
export function checkSharedCredentials(model: Model, findings: Findings): void {
  const { document } = model;
  if (document.roots.length === 1) return;
  for (const [header, uses] of Map.groupBy(usesOf(model), ({ scheme }) => headerOf(scheme))) {
    const names = [...new Set(uses.map(({ root }) => root.name))];
    if (header === undefined || names.length === 1) continue;
    for (const { root, name, scheme, field } of uses) {
      const { "x-from-header": from, name: own = header } = membersOf(scheme.value);
      const others = listed(names.filter((each) => each !== root.name));
      findings.add(
        "credential-shared",
        {
          coordinate: `${root.name}#/components/securitySchemes/${name}`,
          schema: nodeLocation(field.definition.astNode),
          ...locationOfHeader(document, root, name, scheme),
          facts: [header],
        },
        `what a caller sends as ${from ?? own} would go to ${listed(names)}`,
        `name a request header for ${root.name} alone, by \`x-from-header\` in the scheme (${document.overlayAt(root)}); or, if ${root.name} may have the credential of ${others}, approve it in spec/approvals.yaml with the entry that \`restbound check\` prints`,
      );
    }
  }
}

const listed = (names: readonly (string | undefined)[]): string =>
  new Intl.ListFormat("en-GB").format(names.map((name) => name ?? ""));

/** Locates what to change: `x-from-header` in the scheme, or the `$ref` to a scheme that several documents share. */
function locationOfHeader(document: RestDocument, root: RootNode, name: string, scheme: RestNode) {
  const schemes = securitySchemesOf(document, root);
  const reference = schemes && { file: schemes.file, path: [...schemes.path, name] };
  const value = reference && document.valueAt(reference);
  return reference && refOf(value) !== undefined
    ? { rest: { ...reference, value } }
    : { rest: scheme, below: ["x-from-header"] };
}

function usesOf(model: Model): Use[] {
  const uses = new Map<string, Use>();
  for (const field of boundFields(model)) {
    const { root } = field.operation;
    if (model.held.has(field.operation)) continue; // the call sends the server's credential, not the caller's
    for (const { name, node: scheme } of schemesOf(model.document, field.operation).flat()) {
      const key = `${root.name}#${name}`;
      if (scheme && !uses.has(key)) uses.set(key, { root, name, scheme, field });
    }
  }
  return [...uses.values()];
}
