/** Reads the manifests at the start and when their files change. Polls URLs, and files that emit no event for a change. */
import { watchFolders } from "../watch-folders.ts";
import type { ManifestLocation } from "./manifest-locations.ts";
import { type Fetch, type ManifestState, Manifests } from "./manifests.ts";

/** The poll interval. Files are polled because network file systems emit no events. URLs are polled with their ETag. */
const everyMs = 30_000;

/**
 * Resolves when `onState` has processed each location's first result, even a failure. Calls `onState` with each new state, and
 * `failed` if files cannot be watched and are only polled. Returns the function that stops watching.
 */
export async function watchManifests(
  locations: readonly ManifestLocation[],
  onState: (state: ManifestState) => Promise<void>,
  failed: (error: Error) => void,
  fetchUrl: Fetch,
): Promise<() => void> {
  const manifests = new Manifests(locations, fetchUrl);
  let isOver = false;
  const refresh = (only: "files" | "all"): void =>
    manifests.refreshEach((state) => {
      if (!isOver) void onState(state);
    }, only);
  await onState(await manifests.refresh());
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
