/** Rows of hostile requests, and how their bytes are written. */
export type Front = {
  url: URL;
  /** A good key, and another good one of another tenant. */
  key: string;
  otherKey: string;
  /** Prefix of the context headers, as configured. */
  prefix?: string;
};

export type Hostile = {
  name: string;
  /** The bytes to send; a list is sent with a pause between its parts. */
  bytes: (front: Required<Front>) => string;
  /** Statuses that are right. 200: the request may pass, stripped. */
  answers: readonly number[];
};

export const mark = "evil";

export const refused = [400, 401, 403, 404, 405, 414, 417, 421, 431, 501] as const;
export const me = "/v1/identity/me";

export type Lines = (front: Required<Front>) => readonly string[];

/** A GET with a good key and further header lines. */
export const get =
  (path: string, lines: Lines = () => []) =>
  (front: Required<Front>): string =>
    request(`GET ${path} HTTP/1.1`, [`Host: ${front.url.host}`, `X-API-Key: ${front.key}`, ...lines(front)]);

/** A GET whose header lines are all given. */
export const bare =
  (path: string, lines: Lines) =>
  (front: Required<Front>): string =>
    request(`GET ${path} HTTP/1.1`, [`Host: ${front.url.host}`, ...lines(front)]);

export const request = (line: string, lines: readonly string[], body = ""): string =>
  `${[line, ...lines, "Connection: close"].join("\r\n")}\r\n\r\n${body}`;

export const post =
  (lines: Lines, body: string) =>
  (front: Required<Front>): string =>
    `${[`POST ${me} HTTP/1.1`, `Host: ${front.url.host}`, `X-API-Key: ${front.key}`, ...lines(front)].join("\r\n")}` +
    `\r\n\r\n${body}`;
