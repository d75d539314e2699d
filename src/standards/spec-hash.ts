/**
 * The hash of a spec folder, which codegen writes beside what it generates. A start compares both, so that a process never
 * serves another spec than the one it was generated from. Line ends do not count.
 */
import { createHash } from "node:crypto";

/** Nothing is generated from these two. */
const withoutEffect = new Set(["rest-only.yaml", "approvals.yaml"]);

/** Hashes the files of a spec folder. `names` are relative to it. */
export function hashSpec(names: readonly string[], read: (name: string) => string | undefined): string {
  const digest = createHash("sha256");
  for (const name of [...names].sort()) {
    if (!/\.(?:ya?ml|json|graphql|gql)$/.test(name) || withoutEffect.has(name)) continue;
    digest.update(`${name}\0${(read(name) ?? "").replaceAll("\r\n", "\n")}\0`);
  }
  return digest.digest("hex").slice(0, 16);
}
