/** Calls back when files of folders were saved. */
import { type FSWatcher, watch } from "node:fs";

/** Editors save in several steps; these many milliseconds of quiet end one. */
const quietMs = 150;

/**
 * Each folder is watched by itself: on Linux, Node's recursive watch loses a file that an editor replaces by another of its
 * name. `folders` is asked again after each save, because there may be other folders then. `failed` is called if a folder
 * cannot be watched any more. Returns the function that ends it.
 */
export function watchFolders(
  folders: () => readonly string[],
  saved: () => void,
  failed: (error: Error) => void,
): () => void {
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
  const start = (): void => {
    watchers = folders().map((folder) =>
      watch(folder, () => {
        clearTimeout(timer);
        timer = setTimeout(settled, quietMs);
      }).on("error", failed),
    );
  };
  // what changes before new folders are watched is read by `saved`
  const settled = (): void => {
    stop();
    try {
      start();
    } catch (error) {
      failed(error as Error);
    }
    saved();
  };
  start();
  return stop;
}
