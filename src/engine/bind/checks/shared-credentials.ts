/** Finds the request headers whose credential would travel to the services of several documents, unless they say so. */
import type { RestNode, RootNode } from "../../openapi/document.ts";
import { headerOf, schemesOf } from "../../openapi/security.ts";
import { placeOf } from "../../schema/directives.ts";
import { membersOf } from "../../standards/json-object.ts";
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
  if (model.document.roots.length === 1) return;
  for (const [header, uses] of Map.groupBy(usesOf(model), ({ scheme }) => headerOf(scheme))) {
    const names = [...new Set(uses.map(({ root }) => root.name))];
    if (header === undefined || names.length === 1) continue;
    for (const { root, name, scheme, field } of uses) {
      const { "x-from-header": from, name: own = header } = membersOf(scheme.value);
      // a vendor could name another's header in its own document, or refer to the scheme in that one
      if (from !== undefined && model.document.place(scheme, "x-from-header").file === root.overlay) continue;
      findings.add(
        "credential-shared",
        {
          coordinate: `${root.name}#/components/securitySchemes/${name}`,
          schema: placeOf(field.definition.astNode),
          rest: scheme,
        },
        `what a caller sends as ${from ?? own} would go to ${names.join(" and to ")}`,
        `name a request header for ${root.name} alone, by \`x-from-header\` in the scheme (${model.document.overlayAt(root)}); the same name in each overlay says that they share one credential`,
      );
    }
  }
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
