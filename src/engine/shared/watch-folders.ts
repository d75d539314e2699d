/** Watches folders for saved files. */
import { type FSWatcher, watch } from "node:fs";

/** Debounce in milliseconds, because editors save in several steps. */
const quietMs = 150;
/** Maximum delay in milliseconds while files are saved continuously. */
const longestMs = 1_000;

/**
 * Watches each folder separately: on Linux, Node's recursive watch loses track of a file that an editor replaces. `folders` is
 * called again after each save, because folders may have been added. `failed` is called if a folder can no longer be watched.
 * Returns the function that stops watching.
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
  // watches new folders before it calls `saved`, which then also reads changes made in between
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
