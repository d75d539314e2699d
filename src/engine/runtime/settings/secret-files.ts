/**
 * Secrets in files (`<name>_FILE`). A file is read again while its secret is in use, because a mounted Secret changes in place. A
 * value that cannot be read or is invalid is not taken: the last valid one stays.
 */
import { readRegularFile } from "../../shared/regular-file.ts";

/** How long a value counts as unchanged. */
const rereadMs = 1_000;
const maxBytes = 65_536;

/** The text of a secret's file, without a trailing line break. */
export const readSecret = (path: string): string => readRegularFile(path, maxBytes).replace(/\r?\n$/, "");

export class SecretFiles {
  /** Called with a log line for each file that begins to fail, and for each new value. The server sets it to write to its log. */
  report: (line: string) => void = () => {};
  readonly #reads: (() => void)[] = [];
  #readAt = performance.now();

  /** Returns the function that reads the secret of variable `name`. `parse` throws for an invalid text. */
  follow<Value>(name: string, path: string, parse: (text: string) => Value): () => Value {
    let text = readSecret(path);
    let value = parse(text);
    let isFailing = false;
    this.#reads.push(() => {
      try {
        const found = readSecret(path);
        if (found !== text) {
          value = parse(found);
          text = found;
          this.report(`${name}_FILE: the new value is in use`);
        }
        isFailing = false;
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        if (!isFailing) this.report(`${name}_FILE: the last value stays in use: ${code ?? message}`);
        isFailing = true;
      }
    });
    return () => {
      this.#readAgain();
      return value;
    };
  }

  /** All files at once: while a secret and the one before are exchanged, both must count. */
  #readAgain(): void {
    if (performance.now() - this.#readAt < rereadMs) return;
    this.#readAt = performance.now();
    for (const read of this.#reads) read();
  }
}
