/** Reads the manifests at the start, and again when their files are saved; URLs, and what no event tells, at a pace. */
import { watchFolders } from "../watch-folders.ts";
import type { ManifestLocation } from "./manifest-locations.ts";
import { type Fetch, type ManifestState, Manifests } from "./manifests.ts";

/** Network file systems send no events. A URL is asked by its ETag. */
const everyMs = 30_000;

/**
 * Resolves once every place was read or has failed, and `took` has finished. `took` is called with each state; `failed` when
 * files cannot be watched, and are read at the pace alone. Returns the function that ends it.
 */
export async function watchManifests(
  places: readonly ManifestLocation[],
  took: (state: ManifestState) => Promise<void>,
  failed: (error: Error) => void,
  fetchUrl: Fetch,
): Promise<() => void> {
  const manifests = new Manifests(places, fetchUrl);
  let isOver = false;
  const refresh = (only: "files" | "all"): void =>
    manifests.refreshEach((state) => {
      if (!isOver) void took(state);
    }, only);
  await took(await manifests.refresh());
  const timer = setInterval(() => refresh("all"), everyMs).unref();
  let unwatch = (): void => {};
  try {
    unwatch = watchFolders(
      () => manifests.folders,
      () => refresh("files"),
      failed,
    );
  } catch (error) {
    failed(error as Error);
  }
  return () => {
    isOver = true;
    clearInterval(timer);
    unwatch();
  };
}
