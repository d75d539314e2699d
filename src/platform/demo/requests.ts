/** The example requests that a start prints beside the demo keys: one for GraphQL, one for REST. */
export const demoQuery =
  "{ me { email tenantId roles } contacts { name } conversations { status contact { name } } }";
export const demoPath = "/v1/identity/me";

/** Variables for the saved operations. They match data of the first demo key's tenant. `now` is the end of that data. */
export function demoVariables(now: Date): Readonly<Record<string, object>> {
  const dayBefore = (days: number): string =>
    new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);
  const range = { from: dayBefore(29), to: dayBefore(0) };
  return {
    StartPage: { ...range, q: "han" },
    Dashboard: range,
    WeeklyReport: { from: dayBefore(6), to: dayBefore(0) },
    FindCustomers: { q: "han" },
    Customer: { id: "ctc_asZYf21VZHMb" },
    Messages: { conversationId: "cnv_7lRic2nKp3OZ" },
    Answer: { channel: "whatsapp", to: "+12035550119", body: "Your order is on its way." },
  };
}
