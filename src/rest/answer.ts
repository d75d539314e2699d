/** What REST answered, as openapi-fetch takes it: a light stand-in for `Response` whose body is there already. */

export type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

export class Answer {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: AnswerHeaders;
  #text: string;
  #value: unknown;

  constructor(status: number, headers: RawHeaders, text: string) {
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.headers = new AnswerHeaders(headers);
    this.#text = text;
  }

  /** The body as it came; empty once its value has been asked for. */
  async text(): Promise<string> {
    return this.#text;
  }

  /** A JSON body's value, `undefined` for none; parsed when first asked for, and kept instead of the text. Throws `SyntaxError`. */
  get body(): unknown {
    if (this.#text === "") return this.#value;
    this.#value = JSON.parse(this.#text);
    this.#text = "";
    return this.#value;
  }
}

class AnswerHeaders {
  readonly #raw: RawHeaders;

  constructor(raw: RawHeaders) {
    this.#raw = raw;
  }

  get(name: string): string | undefined {
    const value = this.#raw[name.toLowerCase()];
    return Array.isArray(value) ? value[0] : value;
  }
}
