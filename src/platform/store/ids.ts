/** Random base62 text: bodies of keys and of ids. The source is cryptographic. Demo data uses `demo/random.ts`. */
import { randomInt } from "node:crypto";
import { base62 } from "restbound/role";

export const randomBase62 = (length: number): string =>
  Array.from({ length }, () => base62.charAt(randomInt(base62.length))).join("");

export const newId = (prefix: string): string => `${prefix}_${randomBase62(12)}`;
