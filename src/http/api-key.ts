/**
 * The shape of an API key: `sk_test_` or `sk_live_`, 26 random base62 characters, and a checksum of six more
 * (CRC-32 of all that precedes it, in base62). Secret scanners recognise the prefix, and the checksum tells a key
 * from noise without asking anybody. It says nothing about whether a key is good: that is key introspection's.
 */
import { crc32 } from "node:zlib";

/** The digits of base62, in their order. */
export const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const checksumLength = 6; // 62^6 > 2^32, so every CRC-32 fits
const shape = /^sk_(test|live)_[0-9A-Za-z]{32}$/;

export type ApiEnvironment = "test" | "live";

/** Makes a key from 26 random base62 characters. Throws `TypeError` when they are anything else. */
export function formatApiKey(environment: ApiEnvironment, random26: string): string {
  if (!/^[0-9A-Za-z]{26}$/.test(random26)) throw new TypeError("wants 26 base62 characters");
  const body = `sk_${environment}_${random26}`;
  return body + checksum(body);
}

/** Whether `key` is shaped like a key of `environment`, its checksum included. */
export function isWellFormed(environment: ApiEnvironment, key: string): boolean {
  return (
    shape.exec(key)?.[1] === environment &&
    checksum(key.slice(0, -checksumLength)) === key.slice(-checksumLength)
  );
}

function checksum(text: string): string {
  let digits = "";
  for (let rest = crc32(text); digits.length < checksumLength; rest = Math.floor(rest / base62.length)) {
    digits = base62.charAt(rest % base62.length) + digits;
  }
  return digits;
}
