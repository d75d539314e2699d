/** The budgets that all requests of the process share. */
import { decompressedAtOnce } from "../../settings/capacity.ts";
import type { Environment } from "../../settings/environment.ts";
import { FairShare } from "./fair-share.ts";
import { HeldBytes } from "./held-bytes.ts";
import { Places } from "./places.ts";

export type Shares = ReturnType<typeof openShares>;

export const openShares = (env: Pick<Environment, "MAX_REQUEST_BYTES">) => ({
  processor: new FairShare(),
  bytes: new HeldBytes(env),
  decompression: new Places(decompressedAtOnce),
});
