/**
 * Computes the hash of a spec folder. Codegen writes this hash into the generated code. When a process starts, it compares the
 * hash with that of its spec folder, so that it never runs code generated from a different spec. Line endings are ignored.
 */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";

/** Files of the spec folder that have no effect on the generated code, so the hash ignores them. */
const withoutEffect = new Set(["rest-only.yaml", "approvals.yaml"]);

/** The text or the bytes of a file. Bytes can be hashed faster than text. */
type Content = string | Buffer;

/** `names`: the paths of the files, relative to the spec folder. `read`: returns the content of a file. */
export function hashSpec(names: readonly string[], read: (name: string) => Content | undefined): string {
  const digest = createHash("sha256");
  for (const name of [...names].sort()) {
    if (!/\.(?:ya?ml|json|graphql|gql)$/.test(name) || withoutEffect.has(name)) continue;
    // hashes name and text separately, to avoid a copy of both
    digest.update(`${name}\0`);
    digest.update(withoutReturns(read(name) ?? ""));
    digest.update("\0");
  }
  return digest.digest("hex").slice(0, 16);
}

const withoutReturns = (content: Content): Content =>
  typeof content !== "string" && isUtf8(content) && !content.includes("\r\n")
    ? content
    : String(content).replaceAll("\r\n", "\n");
