/**
 * The hash of a spec folder, which codegen writes into the generated code. A process compares it with the hash of its spec folder
 * when it starts, so that it never runs code generated from a different spec. Line endings are ignored.
 */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";

/** Files that generated code does not depend on. */
const withoutEffect = new Set(["rest-only.yaml", "approvals.yaml"]);

/** A file's text or bytes; bytes are hashed faster. */
type Content = string | Buffer;

/** `names`: paths relative to the spec folder. */
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
