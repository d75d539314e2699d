/** Security schemes whose credential no caller can send: of those that a request comes with, only some travel to REST. */
import { credentialHeaders } from "../http/credentials.ts";
import type { Findings } from "./findings.ts";
import { type BoundField, boundFields, type Model } from "./model.ts";
import { inputKey, type Location } from "./operations.ts";
import { isRecord, type RestNode } from "./rest-document.ts";
import { schemeOf, securityOf } from "./security.ts";

const forwarded = credentialHeaders.join(" and ");

/** One finding a scheme, at the first field whose operation cannot be called without it. */
export function unsentCredentials(model: Model, findings: Findings): void {
  const { document } = model;
  for (const field of boundFields(model)) {
    const { owner, alternatives } = securityOf(document, field.operation);
    const unsent = alternatives.map((alternative) =>
      Object.keys(alternative).filter((name) => !isSent(field, schemeOf(document, name))),
    );
    if (unsent.some((names) => names.length === 0)) continue;
    for (const [index, names] of unsent.entries()) {
      for (const name of names) {
        const scheme = schemeOf(document, name);
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

/** All but `apiKey` and `mutualTLS` are sent in `Authorization`; a key may also be a parameter that the field feeds. */
function isSent({ inputs }: BoundField, scheme: RestNode | undefined): boolean {
  const { type, in: location, name } = membersOf(scheme);
  if (type !== "apiKey") return ["http", "oauth2", "openIdConnect"].includes(String(type));
  const key = inputKey({ in: location as Location, name: String(name) });
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
