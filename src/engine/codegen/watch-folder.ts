/** Calls back when files of a folder, or of a folder below it, were saved. */
import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join } from "node:path";

/** Editors save in several steps; these many milliseconds of quiet end one. */
const quietMs = 150;

/**
 * Each folder is watched by itself: on Linux, Node's recursive watch loses a file that an editor replaces by another of its
 * name. `failed` is called if a folder cannot be watched any more.
 */
export function watchFolder(root: string, saved: () => void, failed: (error: Error) => void): () => void {
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
  const start = (): void => {
    watchers = foldersOf(root).map((folder) =>
      watch(folder, () => {
        clearTimeout(timer);
        timer = setTimeout(settled, quietMs);
      }).on("error", failed),
    );
  };
  // there may be other folders now; what changes before they are watched is read by `saved`
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

const foldersOf = (root: string): string[] => [
  root,
  ...readdirSync(root, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [join(entry.parentPath, entry.name)] : [],
  ),
];
