/** Calls a function when files in folders are saved. */
import { type FSWatcher, watch } from "node:fs";

/** Milliseconds without a change before `saved` is called: editors save a file in several steps. */
const quietMs = 150;
/** Maximum delay of the call in milliseconds, even if files change continuously. */
const longestMs = 1_000;

/**
 * Watches each folder separately, because on Linux, Node's recursive watch loses track of a file that an editor replaces. Calls
 * `folders` again after each save, because folders may have been added. Calls `failed` if a folder can no longer be watched.
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
  // starts to watch new folders before it calls `saved`, so that no change between the two is missed
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
