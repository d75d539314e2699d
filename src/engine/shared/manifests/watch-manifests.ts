/**
 * Reads the manifests at the start and when their files change. Also polls URLs and files. A URL emits no event when its manifest
 * changes, and neither do files on some file systems.
 */
import { watchFolders } from "../watch-folders.ts";
import type { ManifestLocation } from "./manifest-locations.ts";
import { type Fetch, type ManifestState, Manifests } from "./manifests.ts";

/** The poll interval. Files are polled because network file systems emit no events. URLs are polled with their ETag. */
const everyMs = 30_000;

/**
 * Calls `onState` with each new state. Calls `failed` if files cannot be watched, so that they are only polled. Resolves once
 * every location has been read, successfully or not, and `onState` has processed the result. The promise's value is a function
 * that stops watching.
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
