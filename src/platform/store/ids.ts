/** Creates random ids from a cryptographic source. The ids of demo data come from `demo/random.ts`. */
import { randomBase62 } from "restbound/role";

export const newId = (prefix: string): string => `${prefix}_${randomBase62(12)}`;
