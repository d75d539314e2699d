/**
 * Finds the request headers whose credential would travel to the services of several documents. Documents and their overlays
 * may be a vendor's, so nothing in them permits that: the owner of the project approves each document that takes such a header.
 */
import { membersOf } from "../../../shared/json-object.ts";
import { type RestDocument, type RestNode, type RootNode, refOf } from "../../openapi/document.ts";
import { headerOf, schemesOf, securitySchemesOf } from "../../openapi/security.ts";
import { nodeLocation } from "../../schema/directives.ts";
import type { Findings } from "../findings.ts";
import { type BoundField, boundFields, type Model } from "../model.ts";

/** The first field whose operation takes a scheme's credential. */
type Use = {
  readonly root: RootNode;
  readonly name: string;
  readonly scheme: RestNode;
  readonly field: BoundField;
};

/** Adds a finding for each security scheme whose header another document takes too. */
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
          ...placeOfHeader(document, root, name, scheme),
        },
        `what a caller sends as ${from ?? own} would go to ${listed(names)}`,
        `name a request header for ${root.name} alone, by \`x-from-header\` in the scheme (${document.overlayAt(root)}); or, if ${root.name} may have the credential of ${others}, approve it in spec/approvals.yaml with the entry that \`restbound check\` prints`,
        [header],
      );
    }
  }
}

const listed = (names: readonly (string | undefined)[]): string =>
  new Intl.ListFormat("en-GB").format(names.map((name) => name ?? ""));

/** Where the document or its overlay names the header, or refers to the scheme that does. */
function placeOfHeader(document: RestDocument, root: RootNode, name: string, scheme: RestNode) {
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
    for (const { name, node: scheme } of schemesOf(model.document, field.operation).flat()) {
      const key = `${root.name}#${name}`;
      if (scheme && !uses.has(key)) uses.set(key, { root, name, scheme, field });
    }
  }
  return [...uses.values()];
}
