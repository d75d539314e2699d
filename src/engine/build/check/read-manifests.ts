/** Reads the apps' manifests of saved operations, for `check` and `update`. */
import { relative, resolve } from "node:path";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { isHttpUrl, parseManifestLocations } from "../../shared/manifests/manifest-locations.ts";
import { type Manifest, Manifests } from "../../shared/manifests/manifests.ts";

/** Throws `UsageError` if a manifest cannot be read, because `check` would otherwise miss the operations of its app. */
export async function readManifests(root: string, given: string | undefined): Promise<readonly Manifest[]> {
  try {
    const places = parseManifestLocations(given ?? "").map(({ app, at }) => ({
      app,
      at: isHttpUrl(at) ? at : resolve(root, at),
    }));
    const { manifests, faults } = await new Manifests(places).refresh();
    if (faults.length > 0)
      throw new UsageError(faults.map(({ source, reason }) => `OPERATIONS_FROM: ${source} ${reason}`));
    return manifests.map((each) => ({
      ...each,
      source: isHttpUrl(each.source) ? each.source : relative(root, each.source),
    }));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError([`OPERATIONS_FROM: ${(error as Error).message}`]);
  }
}
