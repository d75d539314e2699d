/** Secrets in files (`<name>_FILE`). A file is read again while its secret is in use, so that the secret can be rotated. */
import { readRegularFile } from "../../shared/regular-file.ts";
import { WatchedFile, type WatchedFileOptions, type WatchGroup } from "./watched-file.ts";

const maxBytes = 65_536;

/** Returns the secret in a file, without a trailing line break. */
export const readSecret = (path: string): string => readRegularFile(path, maxBytes).replace(/\r?\n$/, "");

export class SecretFiles {
  /**
   * Called with a log line when a file begins to fail, and when a new value is in use. The server replaces this function with one
   * that logs the line.
   */
  report: (line: string) => void = () => {};
  /** The files of all secrets are read at the same moment, because a rotation changes the new and the old secret together. */
  readonly #group: WatchGroup = new Set();

  /** Returns a function that returns the current value of the secret `name`. `parse` throws for invalid text. */
  follow<Value>(name: string, path: string, parse: (text: string) => Value): () => Value {
    const file = this.watch(`${name}_FILE`, { read: () => readSecret(path), parse }, this.#group);
    return () => file.value;
  }

  /** Returns a `WatchedFile` whose log lines begin with `name`. */
  watch<Value>(
    name: string,
    source: Pick<WatchedFileOptions<Value>, "read" | "parse" | "onApplied">,
    group?: WatchGroup,
  ): WatchedFile<Value> {
    const onApplied = (): void => this.report(`${name}: the new value is in use`);
    const onFailure = ({ code, message }: NodeJS.ErrnoException, inUse: Value | undefined): void =>
      this.report(
        `${name}: ${inUse === undefined ? "cannot be used" : "the change is not applied"}: ${code ?? message}`,
      );
    return new WatchedFile({ onApplied, ...source, onFailure }, group);
  }
}
