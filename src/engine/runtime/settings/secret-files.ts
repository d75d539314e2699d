/** Secrets in files (`<name>_FILE`), which are read again while they are in use. */
import { readRegularFile } from "../../shared/regular-file.ts";
import { WatchedFile, type WatchedFileOptions, type WatchGroup } from "./watched-file.ts";

const maxBytes = 65_536;

/** The text of a secret's file, without a trailing line break. */
export const readSecret = (path: string): string => readRegularFile(path, maxBytes).replace(/\r?\n$/, "");

export class SecretFiles {
  /** Called with a log line for each file that begins to fail, and for each new value. The server sets it to write to its log. */
  report: (line: string) => void = () => {};
  /**
   * While a secret is rotated, the new and the old secret must both be accepted, so the files of all secrets are read at the same
   * time.
   */
  readonly #group: WatchGroup = new Set();

  /** Returns the function that reads the secret of variable `name`. `parse` throws for an invalid text. */
  follow<Value>(name: string, path: string, parse: (text: string) => Value): () => Value {
    const file = this.watch(`${name}_FILE`, { read: () => readSecret(path), parse }, this.#group);
    return () => file.value;
  }

  /** Returns a `WatchedFile`. Log lines about its changes and failures begin with `name`. */
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
