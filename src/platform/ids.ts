/** Random base62 text: bodies of keys and of ids. Cryptographic; demo data has its own, seeded source. */
import { randomInt } from "node:crypto";

export const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export const randomBase62 = (length: number): string =>
  Array.from({ length }, () => base62.charAt(randomInt(base62.length))).join("");

export const newId = (prefix: string): string => `${prefix}_${randomBase62(12)}`;
