/** What a process that generates again and again, such as `npm run dev`, keeps from one time to the next. */
import { readRestApi } from "../project/project.ts";
import { whileFilesStay } from "../project/while-files-stay.ts";

export class Results {
  readonly restOf = whileFilesStay(readRestApi);
  readonly #last = new Map<string, { readonly from: readonly unknown[]; readonly text: Promise<string> }>();

  /** The text `name`: the last one if it was made from the same values, else what `make` returns. */
  text(name: string, from: readonly unknown[], make: () => Promise<string>): Promise<string> {
    const last = this.#last.get(name);
    if (last?.from.every((value, index) => value === from[index])) return last.text;
    const text = make();
    this.#last.set(name, { from, text });
    return text;
  }
}
