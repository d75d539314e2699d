/** Random ids of the store. The source is cryptographic. Demo data uses `demo/random.ts`. */
import { randomBase62 } from "restbound/role";

export const newId = (prefix: string): string => `${prefix}_${randomBase62(12)}`;
