/**
 * Remembers what was lately asked for, in a few bytes each: the doorkeeper of TinyLFU (Einziger, Friedman and Manes,
 * "TinyLFU: A Highly Efficient Cache Admission Policy", §3.4.2) as a table of fingerprints, of which each displaces an older
 * one. So "lately" is as many other keys ago as the table has places. Each caller has its row, which it may share with
 * others: one that asks for very many keys displaces those of a few callers only.
 */
const rows = 64;
const placesOfRow = 64;

export class Doorkeeper {
  readonly #fingerprints = new Uint32Array(rows * placesOfRow); // 16 KiB

  /** Whether the key was asked for lately. From now on it was. */
  knows(caller: string, key: string): boolean {
    const fingerprint = hashOf(key);
    const place = (hashOf(caller) % rows) * placesOfRow + ((fingerprint >>> 16) % placesOfRow);
    const isKnown = this.#fingerprints[place] === fingerprint;
    this.#fingerprints[place] = fingerprint;
    return isKnown;
  }
}

/** FNV-1a. Whoever finds two keys of one hash gains no more than by asking for one of them twice. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
