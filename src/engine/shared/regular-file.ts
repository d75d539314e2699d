/** Reads a file that a user names, but only a regular file (POSIX `S_ISREG`): reading any other file might block or never end. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** The default limit in bytes. No document of this size can be parsed in reasonable time. */
export const maxFileBytes = 268_435_456;

/** Throws Node's error if the file cannot be opened, and an `Error` without a code if it is too large or not regular. */
export function readRegularFile(path: string, maxBytes = maxFileBytes): string {
  // without this flag, opening a FIFO without a writer blocks
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw new Error("is a folder, not a file");
    if (!stats.isFile()) throw new Error("is not a regular file");
    if (stats.size > maxBytes) throw new Error(`is larger than ${maxBytes / 1_048_576} MiB`);
    const bytes = readFileSync(file);
    // without this check, a UTF-16 file would only cause a syntax error at line 1, column 1
    const mark = bytes.subarray(0, 2).toString("hex");
    if (mark === "fffe" || mark === "feff") throw new Error("is UTF-16: save it as UTF-8");
    return bytes.toString("utf8");
  } finally {
    closeSync(file);
  }
}
