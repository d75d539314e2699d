/**
 * The REST platform of the growth bench, in a process of its own: answers of the size that it was told last, as text
 * that is made once.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** How many items a list holds; `broken`: each has a value of a wrong type; `failing`: links answer 500. */
export type Shape = { readonly items: number; readonly broken?: boolean; readonly failing?: boolean };

let shape: Shape = { items: 1 };
let list = "";

const contact = (id: string) => ({
  id,
  name: `Contact ${id}`,
  email: shape.broken ? 5.5 : `${id}@example.test`,
  phone: shape.broken ? { no: "text" } : "+12025550143",
  company: "Example",
  stage: "lead",
  tags: ["a", "b"],
  createdAt: "2026-01-01T00:00:00Z",
  contactId: `c${id}`,
  assigneeId: `a${id}`,
  ownerId: `o${id}`,
});

function answer(url: URL): string | undefined {
  const ids = url.searchParams.get("ids")?.split(",");
  if (!ids) return list;
  return shape.failing ? undefined : JSON.stringify({ items: ids.map(contact) });
}

const server = createServer((request, response) => {
  request.resume();
  const body = answer(new URL(request.url ?? "", "http://upstream.test"));
  response.writeHead(body ? 200 : 500, { "content-type": "application/json" }).end(body ?? "{}");
}).listen(0, "127.0.0.1", () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));

process.on("message", (told: Shape) => {
  shape = told;
  list = JSON.stringify({ items: Array.from({ length: shape.items }, (_, index) => contact(String(index))) });
  process.send?.("ready");
});
process.on("disconnect", () => process.exit());
