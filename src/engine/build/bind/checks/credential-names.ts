/**
 * Reports unknown names in `spec/credentials.yaml`: documents, security schemes, operations and parameters. Replaces each with
 * the most similar known name, so that a typo is reported only once.
 */
import { membersOf } from "../../../shared/json-object.ts";
import type { TenantParameter } from "../../../shared/operation.ts";
import { type CredentialsFile, credentialsNode, type HeldDocument } from "../../openapi/credentials-file.ts";
import type { RootNode } from "../../openapi/document.ts";
import { ownMethodAndPath } from "../../openapi/held-credentials.ts";
import type { RestOperation } from "../../openapi/operation.ts";
import { securitySchemesOf } from "../../openapi/security.ts";
import type { Findings } from "../findings.ts";
import { InputSlots } from "../inputs/input-slots.ts";
import type { Model } from "../model.ts";

type Api = Pick<Model, "document" | "operations">;

export function withKnownNames(api: Api, file: CredentialsFile, findings: Findings): CredentialsFile {
  const { roots } = api.document;
  const names = roots.flatMap(({ name }) => name ?? []);
  const correct = correction(findings, names, (name) => ({
    path: [name],
    message: `spec/credentials.yaml has credentials for the document "${name}", which does not exist`,
    hint:
      names.length > 0
        ? `name one of ${names.join(", ")}`
        : `move spec/openapi.yaml to spec/openapi/${name}.yaml: a vendor's document has a name, so that it gets its own base URL and none of the gateway's headers`,
  }));
  return new Map(
    [...file].map(([written, section]) => {
      const name = correct(written, file);
      const root = roots.find((each) => each.name === name);
      if (!root) return [name, section];
      const members = new SectionNames(api, root, written, findings);
      return [name, members.correct(section)];
    }),
  );
}

class SectionNames {
  readonly #findings: Findings;
  /** The document's name in the file, which may be misspelt. */
  readonly #written: string;
  readonly #name: string;
  readonly #overlay: string;
  readonly #schemes: readonly string[];
  readonly #operations: ReadonlyMap<string, RestOperation>;

  constructor({ document, operations }: Api, root: RootNode, written: string, findings: Findings) {
    this.#findings = findings;
    this.#written = written;
    this.#name = root.name ?? "";
    this.#overlay = document.overlayAt(root);
    this.#schemes = Object.keys(membersOf(securitySchemesOf(document, root)?.value));
    const own = [...operations.values()].filter((operation) => operation.root === root);
    this.#operations = new Map(own.map((operation) => [ownMethodAndPath(operation), operation]));
  }

  correct(section: HeldDocument): HeldDocument {
    const { everyTenantMay, tenantParameters, writes, permissions } = section;
    return {
      ...section,
      schemes: this.#withSchemes(section.schemes),
      everyTenantMay: this.#withOperations("everyTenantMay", everyTenantMay),
      writes: this.#withOperations("writes", writes),
      permissions: this.#withOperations("permissions", permissions),
      tenantParameters: new Map(
        [...this.#withOperations("tenantParameters", tenantParameters)].map(([key, tenant]) => [
          key,
          this.#withParameter(key, tenant),
        ]),
      ),
    };
  }

  #withSchemes(schemes: HeldDocument["schemes"]): HeldDocument["schemes"] {
    const names = this.#schemes;
    const correct = correction(this.#findings, names, (scheme) => ({
      path: [this.#written, "schemes", scheme],
      message: `${this.#name} has no security scheme "${scheme}"`,
      hint: names.length > 0 ? `name one of ${names.join(", ")}` : `declare it in ${this.#overlay}`,
    }));
    return withCorrectKeys(schemes, correct);
  }

  #withOperations<Value>(list: string, entries: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
    const correct = correction(this.#findings, [...this.#operations.keys()], (operation) => ({
      path: [this.#written, list, operation],
      message: `${this.#name} has no operation "${operation}"`,
      hint: "write its method and path as in the document, or remove the entry",
    }));
    return withCorrectKeys(entries, correct);
  }

  #withParameter(key: string, tenant: TenantParameter): TenantParameter {
    const operation = this.#operations.get(key);
    if (!operation) return tenant;
    const slots = new InputSlots(operation).all.filter((slot) => slot.in === tenant.in && !slot.isUndeclared);
    const names = slots.map(({ name }) => name);
    const correct = correction(this.#findings, names, (name) => ({
      path: [this.#written, "tenantParameters", key],
      message: `"${key}" has no ${tenant.in} parameter "${name}"`,
      hint: "name a parameter of the document, or a property of its JSON body",
    }));
    return { ...tenant, name: correct(tenant.name) };
  }
}

type Correction = (name: string, entries?: ReadonlyMap<string, unknown>) => string;

type UnknownName = { readonly path: readonly string[]; readonly message: string; readonly hint: string };

/**
 * Returns a function that reports an unknown name and corrects it to the most similar known name, unless `entries` already
 * contains that name.
 */
function correction(
  findings: Findings,
  names: readonly string[],
  unknown: (name: string) => UnknownName,
): Correction {
  return (name, entries) => {
    if (names.includes(name)) return name;
    const { path, message, hint } = unknown(name);
    const near = findings.nearest(name, () => names);
    findings.add(
      "held-credential-unfit",
      { coordinate: path.join("#"), rest: credentialsNode(...path) },
      near === undefined ? message : `${message}; did you mean "${near}"?`,
      hint,
    );
    return near === undefined || entries?.has(near) ? name : near;
  };
}

const withCorrectKeys = <Value>(
  entries: ReadonlyMap<string, Value>,
  correct: Correction,
): ReadonlyMap<string, Value> =>
  new Map([...entries].map(([name, value]) => [correct(name, entries), value]));
