/**
 * Checks `spec/credentials.yaml` against the OpenAPI documents and the bound fields. If all tenants share a credential, each of
 * them could see the data of the others (the confused deputy problem), so the project's owner has to permit each operation. A new
 * version of a vendor's document must not cause the server to send the credential to another origin or operation.
 */
import { getNamedType, isInputObjectType } from "graphql";
import { membersOf } from "../../../shared/json-object.ts";
import { spellingOf, type TenantParameter } from "../../../shared/operation.ts";
import { type CredentialsFile, credentialsNode, type HeldDocument } from "../../openapi/credentials-file.ts";
import { entriesOf, type RestNode, type RootNode } from "../../openapi/document.ts";
import { heldPlaceOf, ownMethodAndPath } from "../../openapi/held-credentials.ts";
import { isSafe, type RestOperation } from "../../openapi/operation.ts";
import { ownHeaderOf, schemesOf, securitySchemeOf, securitySchemesOf } from "../../openapi/security.ts";
import type { Shape } from "../../openapi/shapes/shape.ts";
import { nodeLocation } from "../../schema/directives.ts";
import type { Findings } from "../findings.ts";
import { InputSlots } from "../inputs/input-slots.ts";
import type { InputSource } from "../inputs/input-source.ts";
import { type BoundField, boundFields, type Input, type Model } from "../model.ts";
import { errorMembers, memberPaths } from "../outputs/error-members.ts";

export function checkHeldCredentials(model: Model, file: CredentialsFile, findings: Findings): void {
  const { roots } = model.document;
  for (const [name, section] of file) {
    const root = roots.find((each) => each.name === name);
    if (root) checkSection(model, root, section, findings);
  }
  for (const field of boundFields(model)) {
    const section = file.get(field.operation.root.name ?? "");
    if (!section) continue;
    checkFedHeaders(field, section, findings);
    if (section.origin !== undefined) checkField(model, field, section, findings);
  }
}

function checkSection(model: Model, root: RootNode, section: HeldDocument, findings: Findings): void {
  const { document } = model;
  const { name = "" } = root;
  const unfit: Unfit = (path, message, hint, rest) =>
    findings.add(
      "held-credential-unfit",
      { coordinate: [name, ...path].join("#"), rest: rest ?? credentialsNode(name, ...path) },
      message,
      hint,
    );
  for (const [scheme, { token }] of section.schemes) {
    const node = securitySchemeOf(document, root, scheme);
    if (!node) continue;
    if (!heldPlaceOf(node))
      unfit(
        ["schemes", scheme],
        `the server cannot send the credential "${scheme}" of ${name}: it sends API keys, HTTP bearer and basic, and OAuth 2 tokens, but never in a header of the connection, a proxy or the gateway`,
        "remove it, or declare in the overlay how the API accepts the credential",
        node,
      );
    else if (token && heldPlaceOf(node)?.scheme !== "Bearer")
      unfit(
        ["schemes", scheme, "oauth2ClientCredentials"],
        `"${scheme}" of ${name} does not accept access tokens`,
        "remove oauth2ClientCredentials, and put the credential itself into the file",
      );
  }
  // an invalid scheme has already been reported, and would cause misleading findings about its operations
  const areSchemesFit = [...section.schemes].every(([scheme, { token }]) => {
    const place = heldPlaceOf(securitySchemeOf(document, root, scheme));
    return place && (!token || place.scheme === "Bearer");
  });
  const own = operationsOf(model, root);
  const names = new Map(own.map((operation) => [ownMethodAndPath(operation), operation]));
  for (const list of ["everyTenantMay", "tenantParameters", "writes", "permissions"] as const)
    for (const operation of section[list].keys()) {
      const found = names.get(operation);
      if (!found) continue;
      if (list === "writes" && isSafe(found.method))
        unfit([list, operation], `"${operation}" does not write`, "remove the entry from writes");
      else if (list === "permissions" && areSchemesFit && !model.held.has(found))
        unfit(
          [list, operation],
          `"${operation}" is not called with a credential of the server, so REST checks what its callers may do`,
          "remove the entry, or hold the credential that the operation takes",
        );
      else if (list === "tenantParameters" && (areSchemesFit || model.held.has(found)))
        checkTenantParameter(model, found, section, unfit);
    }
  const shown = own
    .filter((operation) => model.held.has(operation))
    .flatMap((operation) => errorMembers(document, operation).flatMap(memberPaths));
  for (const member of areSchemesFit ? section.errors : [])
    if (!shown.includes(member))
      unfit(
        ["errors"],
        `no error of ${name} declares the member "${member}"${findings.didYouMean(member, () => shown)}`,
        `name a member of problem details (RFC 9457) that the document declares, or declare it by x-error-mapping in ${document.overlayAt(root)}`,
      );
  checkTokenEndpoints(model, root, section, findings);
  checkServers(model, root, section, findings);
  checkFixedHeaders(model, root, section, findings);
}

const operationsOf = ({ operations }: Model, root: RootNode): RestOperation[] =>
  [...operations.values()].filter((operation) => operation.root === root);

/** Reports entries of `headers` that set a security scheme's credential header. */
function checkFixedHeaders(
  { document }: Model,
  root: RootNode,
  { headers }: HeldDocument,
  findings: Findings,
): void {
  const names = Object.keys(membersOf(securitySchemesOf(document, root)?.value));
  for (const scheme of names) {
    const taken = ownHeaderOf(securitySchemeOf(document, root, scheme));
    for (const [header, { node }] of headers)
      if (taken !== undefined && spellingOf(header) === spellingOf(taken))
        findings.add(
          "fixed-header",
          { coordinate: `${root.name}#headers#${header}`, rest: node },
          `spec/credentials.yaml fixes the header "${header}" of ${root.name}, in which "${scheme}" sends a credential`,
          `remove the header, and add the file of the credential to schemes, as "${scheme}"`,
        );
  }
}

type Unfit = (path: readonly string[], message: string, hint: string, rest?: RestNode) => void;

/** Checks that the tenant parameter accepts a string, and that the operation is called with the server's credential. */
function checkTenantParameter(
  { held }: Model,
  operation: RestOperation,
  { tenantParameters }: HeldDocument,
  unfit: Unfit,
): void {
  const key = ownMethodAndPath(operation);
  const tenant = tenantParameters.get(key);
  if (!tenant) return;
  const path = ["tenantParameters", key];
  const slot = new InputSlots(operation).find(tenant.name, tenant.in)[0];
  const types = slot?.shape.types ?? new Set();
  if (!held.has(operation))
    unfit(
      path,
      `"${key}" is not called with a credential of the server, so nothing fills its parameters`,
      "remove the entry, or hold the credential that the operation takes",
    );
  else if (slot && types.size > 0 && !types.has("string"))
    unfit(
      path,
      `the ${tenant.in} parameter "${tenant.name}" of "${key}" does not accept strings, but a tenant's id is a string`,
      "correct its schema in the overlay, or hold a credential per tenant (filePerTenant)",
      slot.node,
    );
}

/**
 * Reports each way in which a client could choose another tenant. Clients must not set any parameter with the tenant parameter's
 * name, because some frameworks merge query and body (Rails' `params`, PHP's `$_REQUEST`). In `/accounts/{tenant}/users/{id}`,
 * they may set `id`, which is below the tenant.
 */
function checkConfined(model: Model, field: BoundField, tenant: TenantParameter, findings: Findings): void {
  const { coordinate, definition, inputs, operation, wholeBody } = field;
  const refuse = (what: string, hint: string): void =>
    findings.add(
      "held-credential-tenant",
      { coordinate, schema: nodeLocation(definition.astNode), rest: operation.node },
      `${coordinate} ${what}`,
      hint,
    );
  const spelling = spellingOf(tenant.name);
  const remove = "remove what feeds it";
  const isFree = wholeBody && !isInputObjectType(getNamedType(wholeBody.type));
  if (wholeBody && (tenant.in === "body" || isFree || bodyNames(operation).includes(spelling)))
    refuse(
      `takes a whole body from clients, which may have the tenant's "${tenant.name}"`,
      'feed its properties one by one: params: { name: "…", from: "args.…" }',
    );
  const others = inputs.filter(({ source }) => source.kind !== "tenant" && source.kind !== "constant");
  for (const input of others) {
    const { in: location, name, shape, source } = input;
    if (spellingOf(name) === spelling)
      refuse(`feeds the ${location} parameter "${name}", which REST may take for the tenant's`, remove);
    else if (isSpread(operation, input) && mayHave(shape, spelling))
      refuse(
        `feeds the ${location} parameter "${name}", whose members a client names, also like the tenant's "${tenant.name}"`,
        remove,
      );
    else if (location === "path" && isOfClient(model, field, source) && !isBelow(operation, name, tenant))
      refuse(
        `lets clients choose "${name}" in the path, which is not below the tenant's, so it may be another tenant's`,
        `if every tenant may have all that it returns, move the operation from tenantParameters to everyTenantMay; if not, hold a credential per tenant (filePerTenant)`,
      );
  }
}

function isOfClient({ backings }: Model, field: BoundField, source: InputSource): boolean {
  if (source.kind === "argument" || source.kind === "argumentAbove") return true;
  if (source.kind !== "parent" && source.kind !== "enclosing") return false;
  const type = source.kind === "parent" ? field.type : source.type;
  return backings.get(type)?.some(({ from }) => from === type) === true; // clients of a federation router may choose the values of an entity
}

const bodyNames = ({ body }: RestOperation): string[] =>
  [...(body?.shape.properties.keys() ?? [])].map(spellingOf);

/** Whether each property of the object becomes a separate parameter (`style: form`, `explode: true`). */
function isSpread({ parameters, body }: RestOperation, { in: location, name, shape }: Input): boolean {
  if (shape.types.size > 0 && !shape.types.has("object")) return false;
  const given = location === "body" ? body?.formStyles?.get(name) : undefined;
  const { style, explode } = given ??
    parameters.find((each) => each.in === location && each.name === name) ?? { style: "", explode: false };
  return location !== "header" && location !== "path" && style === "form" && explode;
}

const mayHave = ({ isClosed, properties }: Shape, spelling: string): boolean =>
  !isClosed || [...properties.keys()].some((name) => spellingOf(name) === spelling);

const isBelow = ({ path }: RestOperation, name: string, tenant: TenantParameter): boolean =>
  tenant.in === "path" && path.indexOf(`{${tenant.name}}`) < path.indexOf(`{${name}}`);

/** Reports a security scheme if its `tokenUrl` and the token endpoint in `spec/credentials.yaml` have different origins. */
function checkTokenEndpoints(
  { document }: Model,
  root: RootNode,
  { schemes }: HeldDocument,
  findings: Findings,
): void {
  const { name = "" } = root;
  for (const [scheme, { token }] of schemes) {
    const node = securitySchemeOf(document, root, scheme);
    if (!token || !heldPlaceOf(node)) continue;
    const flow = document.child(document.child(node, "flows"), "clientCredentials");
    const { tokenUrl } = membersOf(flow?.value);
    const { origin } = new URL(token.url);
    if (typeof tokenUrl !== "string" || URL.parse(tokenUrl, token.url)?.origin === origin) continue;
    findings.add(
      "held-credential-origin",
      { coordinate: `${name}#${tokenUrl}`, rest: flow, below: ["tokenUrl"] },
      `${name} names the token endpoint ${tokenUrl}, and spec/credentials.yaml pins it to ${origin}`,
      `if tokens still come from ${origin}, replace tokenUrl in ${document.overlayAt(root)}; if you trust the new origin, change tokenUrl in spec/credentials.yaml`,
    );
  }
}

/** Reports servers of the document that are not at the pinned origin. */
function checkServers(model: Model, root: RootNode, { origin }: HeldDocument, findings: Findings): void {
  const { document, held } = model;
  const ofOperations = operationsOf(model, root).flatMap((operation) => {
    const { servers } = operation;
    return servers && held.has(operation) ? [servers.node] : [];
  });
  if (origin === undefined) return;
  for (const list of new Set([document.child(root, "servers"), ...ofOperations]))
    for (const server of entriesOf(document, list)) {
      const given = serverUrl(server);
      if (URL.parse(given, origin)?.origin === origin) continue;
      findings.add(
        "held-credential-origin",
        { coordinate: `${root.name}#${given}`, rest: server, below: ["url"] },
        `${root.name} names the server ${given}, and spec/credentials.yaml pins its credential to ${origin}`,
        `if the API is still at ${origin}, replace the server in ${document.overlayAt(root)}; if it has moved and you trust the new origin, change origin in spec/credentials.yaml`,
      );
    }
}

function serverUrl({ value }: RestNode): string {
  const { url, variables } = membersOf(value);
  return String(url).replace(/\{([^}]*)\}/g, (whole, name: string) => {
    const { default: usual } = membersOf(new Map(Object.entries(membersOf(variables))).get(name));
    return typeof usual === "string" ? usual : whole;
  });
}

/**
 * Reports arguments and constants that set a header of `headers`. `X_Version` counts as `X-Version`, because some servers do not
 * distinguish them.
 */
function checkFedHeaders(
  { coordinate, definition, inputs, operation }: BoundField,
  { headers }: HeldDocument,
  findings: Findings,
): void {
  for (const { in: location, name, source } of inputs)
    for (const header of headers.keys()) {
      const isFixed = source.kind === "constant" && source.fixedAt !== undefined;
      if (isFixed || location !== "header" || spellingOf(name) !== spellingOf(header)) continue;
      findings.add(
        "fixed-header",
        { coordinate, schema: nodeLocation(definition.astNode), rest: operation.node },
        `${coordinate} feeds the header "${name}", which spec/credentials.yaml fixes`,
        "remove the argument or the constant that feeds it",
      );
    }
}

function checkField(model: Model, field: BoundField, section: HeldDocument, findings: Findings): void {
  const { operation, coordinate } = field;
  const where = { coordinate, schema: nodeLocation(field.definition.astNode), rest: operation.node };
  const held = model.held.get(operation);
  const { name = "" } = operation.root;
  const key = ownMethodAndPath(operation);
  if (!held) return checkPartlyHeld(model, field, section, findings);
  const shared = held.credentials.filter(({ perTenant }) => !perTenant);
  if (held.tenant) checkConfined(model, field, held.tenant, findings);
  if (shared.length > 0 && !held.tenant && !section.everyTenantMay.has(key))
    findings.add(
      "held-credential-shared",
      where,
      `${coordinate} calls ${operation.id} with a credential of the server that all tenants share, so every tenant gets what the vendor shows to the server`,
      `if every tenant may have all that it returns, add to everyTenantMay of ${name} in spec/credentials.yaml: ${JSON.stringify(key)}: <why>; if not, hold a credential per tenant (filePerTenant), or fill a parameter with the tenant (tenantParameters)`,
    );
  if (!isSafe(operation.method) && !section.writes.has(key))
    findings.add(
      "held-credential-write",
      where,
      `${coordinate} writes by ${operation.id} with a credential of the server`,
      `if every caller of ${shared.length > 0 ? "every tenant" : "the tenant"} may do that, add to writes of ${name} in spec/credentials.yaml: ${JSON.stringify(key)}: <why>`,
    );
  for (const { in: location, name: credential } of held.credentials)
    for (const input of field.inputs)
      if (input.in === location && spellingOf(input.name) === spellingOf(credential))
        findings.add(
          "held-credential-unfit",
          where,
          `${coordinate} feeds the ${location} parameter "${input.name}", in which the server sends its credential`,
          "remove the argument or the constant that feeds it",
        );
}

/** Reports operations that need both a server's and a caller's credential: calls never send both. */
function checkPartlyHeld(
  { document }: Model,
  { operation, coordinate, definition }: BoundField,
  section: HeldDocument,
  findings: Findings,
): void {
  for (const schemes of schemesOf(document, operation)) {
    const others = schemes.flatMap(({ name }) => (section.schemes.has(name) ? [] : [name]));
    if (others.length === schemes.length || others.length === 0) continue;
    findings.add(
      "held-credential-unfit",
      { coordinate, schema: nodeLocation(definition.astNode), rest: operation.node },
      `${operation.id} takes the server's credential only together with ${others.map((name) => `"${name}"`).join(" and ")}`,
      `hold ${others.length > 1 ? "these" : "this one"} too, in schemes of ${operation.root.name} in spec/credentials.yaml; the server's and the caller's credentials are never sent together`,
    );
  }
}
