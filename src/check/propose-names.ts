/** GraphQL names and descriptions made of REST's (GraphQL spec §2.1.9): letters, digits and `_`, no digit in front. */

const words = (text: string): string[] => text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
export const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** `campaign_page` → `CampaignPage`: a type's name. */
export const nameOf = (text: string): string => safe(words(text).map(upperFirst).join(""));

/** `created_at` → `createdAt`: a field's or argument's name. */
export const memberName = (text: string): string => lowerFirst(nameOf(text));

/** `new-lead` → `NEW_LEAD`: an enum value's name. */
export function valueName(text: string): string {
  const name = words(text.replace(/([a-z0-9])([A-Z])/g, "$1_$2"))
    .join("_")
    .toUpperCase();
  return ["TRUE", "FALSE", "NULL"].includes(name) ? `${name}_` : safe(name);
}

const safe = (name: string): string => (/^[A-Za-z_]/.test(name) ? name : `_${name}`);

/** `@restName` where GraphQL's name is not REST's. */
export const renamed = (name: string, rest: string, location?: string): string =>
  name === rest && !location
    ? ""
    : ` @restName(${[...(name === rest ? [] : [`name: ${JSON.stringify(rest)}`]), ...(location ? [`in: ${location.toUpperCase()}`] : [])].join(", ")})`;

/** A description as SDL lines; none without a text. */
export function describedBy(text: unknown, indent: string): string[] {
  if (typeof text !== "string" || text.trim() === "") return [];
  return [`${indent}${JSON.stringify(text.trim().replaceAll(/\s+/g, " "))}`];
}
