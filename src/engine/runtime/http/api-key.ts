/**
 * The format of an API key: `sk_test_` or `sk_live_`, 26 random base62 characters, and a six-character checksum (CRC-32 of the
 * preceding text, in base62). Secret scanners recognise the prefix. The checksum reveals invented keys without a lookup, but only
 * key introspection decides whether a key is active.
 */
import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import { linearPattern } from "../../shared/linear-pattern.ts";
import type { Environment } from "../settings/environment.ts";

export const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const checksumLength = 6; // 62^6 > 2^32, so every CRC-32 fits
const shape = /^sk_(test|live)_[0-9A-Za-z]{32}$/;

export type ApiEnvironment = "test" | "live";

/** Returns random base62 characters from a cryptographically secure source. */
export const randomBase62 = (length: number): string =>
  Array.from({ length }, () => base62.charAt(randomInt(base62.length))).join("");

/** Throws `TypeError` unless `random26` has 26 base62 characters. */
export function formatApiKey(environment: ApiEnvironment, random26: string): string {
  if (!/^[0-9A-Za-z]{26}$/.test(random26)) throw new TypeError("must be 26 base62 characters");
  const body = `sk_${environment}_${random26}`;
  return body + checksum(body);
}

/** Whether `key` has the format of a key of `environment`. Ignores the checksum, because keys of other platforms have none. */
export const isKeyOf = (environment: ApiEnvironment, key: string): boolean =>
  shape.exec(key)?.[1] === environment;

export const hasChecksum = (key: string): boolean =>
  checksum(key.slice(0, -checksumLength)) === key.slice(-checksumLength);

export const isWellFormed = (environment: ApiEnvironment, key: string): boolean =>
  isKeyOf(environment, key) && hasChecksum(key);

function checksum(text: string): string {
  let digits = "";
  for (let rest = crc32(text); digits.length < checksumLength; rest = Math.floor(rest / base62.length)) {
    digits = base62.charAt(rest % base62.length) + digits;
  }
  return digits;
}

type KeyForm = Pick<Environment, "API_ENVIRONMENT" | "KEY_PATTERN">;

/** Creates the test for a key's format. Strings that fail it are not looked up. */
export function createKeyTest({ API_ENVIRONMENT, KEY_PATTERN }: KeyForm): (key: string) => boolean {
  if (KEY_PATTERN === undefined) return (key) => isKeyOf(API_ENVIRONMENT, key);
  const whole = linearPattern(`^(?:${KEY_PATTERN})$`);
  return (key) => whole.test(key);
}
