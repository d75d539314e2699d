/** Calls back when files of folders were saved. */
import { type FSWatcher, watch } from "node:fs";

/** Editors save in several steps; these many milliseconds of quiet end one. */
const quietMs = 150;
/** Saves that follow each other without such a quiet are told of after so many milliseconds. */
const longestMs = 1_000;

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
  let firstAt: number | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
  const start = (): void => {
    watchers = folders().map((folder) =>
      watch(folder, () => {
        firstAt ??= performance.now();
        clearTimeout(timer);
        const left = firstAt + longestMs - performance.now();
        timer = setTimeout(settled, Math.max(0, Math.min(quietMs, left)));
      }).on("error", failed),
    );
  };
  // what changes before new folders are watched is read by `saved`
  const settled = (): void => {
    firstAt = undefined;
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
