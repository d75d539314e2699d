/** How often a caller that is alone may take an amount of a bound. */
import { PresentCallers } from "../../../../src/engine/runtime/governor/caller.ts";
import { SharedQuota } from "../../../../src/engine/runtime/governor/shared-quota.ts";

export function alone(total: number, amount = 1): number {
  const bound = new SharedQuota(total);
  const caller = new PresentCallers().enter("alone");
  let taken = 0;
  while (!bound.take(caller, amount)) taken++;
  return taken;
}
