/** Finds operations that require a credential that is not forwarded to REST. */

import { isRecord, type RestNode } from "../openapi/document.ts";
import { type InputLocation, inputKey } from "../openapi/operation.ts";
import { securityRequirementsOf, securitySchemeOf } from "../openapi/security.ts";
import { credentialHeaders } from "../standards/credential-headers.ts";
import type { Findings } from "./findings.ts";
import { type BoundField, boundFields, type Model } from "./model.ts";

const forwarded = credentialHeaders.join(" and ");

/** Adds one finding for each security scheme, at the first field whose operation requires it. */
export function checkUnsentCredentials(model: Model, findings: Findings): void {
  const { document } = model;
  for (const field of boundFields(model)) {
    const { owner, alternatives } = securityRequirementsOf(document, field.operation);
    const unsent = alternatives.map((alternative) =>
      Object.keys(alternative).filter((name) => !isSent(field, securitySchemeOf(document, name))),
    );
    if (unsent.some((names) => names.length === 0)) continue;
    for (const [index, names] of unsent.entries()) {
      for (const name of names) {
        const scheme = securitySchemeOf(document, name);
        const at = scheme ? { rest: scheme } : { rest: owner, below: ["security", index, name] };
        const sent = sentAs(scheme);
        findings.add(
          "credential-unsent",
          { coordinate: `#/components/securitySchemes/${name}`, schema: field.place, ...at },
          `a bound operation needs the credential "${name}", ${sent}: only ${forwarded} are forwarded to REST`,
          `let the operation take one of these, or approve it if something in front of REST adds "${name}"`,
          [sent],
        );
      }
    }
  }
}

/** Schemes other than `apiKey` and `mutualTLS` use `Authorization`. A field may feed an API key as a parameter. */
function isSent({ inputs }: BoundField, scheme: RestNode | undefined): boolean {
  const { type, in: location, name } = membersOf(scheme);
  if (type !== "apiKey") return ["http", "oauth2", "openIdConnect"].includes(String(type));
  const key = inputKey({ in: location as InputLocation, name: String(name) });
  const sent = [...credentialHeaders.map((header) => ({ in: "header" as const, name: header })), ...inputs];
  return sent.some((each) => inputKey(each) === key);
}

function sentAs(scheme: RestNode | undefined): string {
  const { type, in: location, name } = membersOf(scheme);
  if (!scheme) return "which the document does not define";
  return type === "apiKey" ? `which goes in the ${location} as ${name}` : `which is of type ${type}`;
}

const membersOf = (scheme: RestNode | undefined): Record<string, unknown> =>
  isRecord(scheme?.value) ? scheme.value : {};
