/** Type-checks manifests of Kubernetes. */
import { typeErrors } from "../../engine/build/codegen/type-check.ts";

// biome-ignore lint/suspicious/noExplicitAny: manifests are of many kinds
export type Manifest = any;

/** The packages that have the types of custom resources, by API group. */
const customResources = new Map([
  ["external-secrets.io", "external-secrets"],
  ["gateway.networking.k8s.io", "gateway-api"],
  ["keda.sh", "keda"],
  ["monitoring.coreos.com", "prometheus-operator"],
]);

/**
 * What the compiler says against the schemas of Kubernetes and of the custom resources, which packages have in TypeScript: a member
 * that no schema has is a fault too.
 */
export function faultsOf(given: readonly Manifest[]): string[] {
  const texts = given.map((manifest, index) => {
    const [version, group = "core"] = manifest.apiVersion.split("/").reverse();
    const custom = customResources.get(group);
    const module = custom
      ? `@kubernetes-models/${custom}/${group}/${version}/${manifest.kind}`
      : `kubernetes-types/${group.split(".")[0]}/${version}.d.ts`;
    const type = custom ? `I${manifest.kind}` : manifest.kind;
    const text = `import type { ${type} } from "${module}";
export const manifest: ${type} = ${JSON.stringify(manifest, null, 2)};`;
    return [`test/service/deploy/manifest${index}.ts`, text] as const;
  });
  return typeErrors(new Map(texts));
}
