/** What is kept for a read after a success of REST: the response, a pause in which none is kept for its validator, or nothing. */
import type { RestResponse } from "../rest-response.ts";
import type { CallRequest } from "../upstream/call-request.ts";
import { Pause } from "./pause.ts";
import { mayBeStored, StoredResponse } from "./stored-response.ts";

export type Stored = StoredResponse | Pause;

/** `before`: what was kept when the call began. `isAdmitted` tells whether the cache takes something new. */
export function nextStored(
  before: Stored | undefined,
  request: CallRequest,
  response: RestResponse,
  isAdmitted: () => boolean,
): Stored | undefined {
  if (!mayBeStored(response)) return undefined;
  response.freshUntil = performance.now(); // another cache may store it, also where this one does not
  const wasVain = before instanceof StoredResponse && before.isConditional;
  const vain = (before?.vain ?? 0) + Number(wasVain);
  const running = before instanceof Pause && !before.isOver ? before : undefined;
  const pause = wasVain ? Pause.after(vain) : running;
  const mayKeep = before !== undefined || isAdmitted();
  const stored = StoredResponse.of(request, response, mayKeep && !pause, vain); // tells how long it is fresh
  if (!mayKeep) return undefined;
  return stored?.isStorable ? stored : pause;
}
