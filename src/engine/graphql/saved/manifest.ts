/**
 * Reads `generated/operations-manifest.json`, Apollo's persisted query manifest, which codegen writes from
 * `spec/operations/`. An API without saved operations has no such file.
 */
import { readFileSync } from "node:fs";

/** `id` is the SHA-256 digest of `body`, in hexadecimal digits. */
export type ManifestEntry = { readonly id: string; readonly name: string; readonly body: string };

export function readManifest(): readonly ManifestEntry[] {
  try {
    const text = readFileSync(
      new URL("../../../../generated/operations-manifest.json", import.meta.url),
      "utf8",
    );
    return (JSON.parse(text) as { operations: ManifestEntry[] }).operations;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
