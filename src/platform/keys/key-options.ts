/** The options of `keys create`: expiry, scopes and owner. Throws `Refused`, which names the option. */
import { didYouMean } from "graphql/jsutils/didYouMean.js";
import { suggestionList } from "graphql/jsutils/suggestionList.js";
import { ajv, CommandRefusal } from "restbound/role";
import type { ContractOperation } from "../contract.ts";
import { covers } from "./permissions.ts";

const isDateTime = ajv.compile({ type: "string", format: "date-time" });

/** Times are compared as text, so a year has four digits. */
const latest = Date.parse("9999-12-31T23:59:59.999Z");

/** Converts a day (its end in UTC), a time (RFC 3339) or a number of days from now to RFC 3339 in UTC. */
export function readExpiry(given: string, now: Date): string {
  const days = /^([0-9]{1,4})d$/.exec(given)?.[1];
  const time = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(given) ? `${given}T23:59:59.999Z` : given;
  const named = isDateTime(time) ? Date.parse(time) : Number.NaN;
  const at = days === undefined ? named : now.getTime() + Number(days) * 86_400_000;
  if (!(at > now.getTime() && at <= latest)) {
    throw new CommandRefusal(
      "--expires: wants a future day or time, such as 2027-01-31 or 2027-01-31T12:00:00Z, or a number of days such as 90d",
    );
  }
  return new Date(at).toISOString();
}

/** Reads scopes: `area:resource:action`, comma-separated, `*` for any part. `declared` are the contract's permissions. */
export function readScopes(given: string, declared: readonly string[]): string[] {
  const scopes = given.split(",");
  const wrong = scopes.find((scope) => !declared.some((permission) => covers(scope, permission)));
  if (wrong === undefined) return scopes;
  const near = didYouMean(suggestionList(wrong, declared));
  const shape = "area:resource:action, with * for any part";
  throw new CommandRefusal(`--scopes: "${wrong}" matches no permission (${shape}).${near}`);
}

const optionOf = new Map([
  ["/id", "--user"],
  ["/email", "--email"],
  ["/tenantId", "--tenant"],
]);

/** Refuses an owner whose profile would break the contract: `getMe` could never answer that owner. */
export function checkOwner(
  getMe: ContractOperation | undefined,
  owner: { id: unknown; email: unknown; tenantId: string },
): void {
  const [fault] = getMe?.responseFaults({ ...owner, roles: [], permissions: [], features: [] }) ?? [];
  if (fault) throw new CommandRefusal(`${optionOf.get(fault.place) ?? fault.place}: ${fault.message}`);
}
