/** How often a caller that is alone may take an amount of a bound. */
import { Bound } from "../../../../src/engine/rest/shares/bound.ts";
import { PresentCallers } from "../../../../src/engine/rest/shares/caller.ts";

export function alone(total: number, amount = 1): number {
  const [bound, caller] = [new Bound(total), new PresentCallers().enter("alone")];
  let taken = 0;
  while (!bound.take(caller, amount)) taken++;
  return taken;
}
