/** The REST server of the shop, and a list of the calls it got, each with its caller's key. */
import { listen } from "../gateway/fakes.ts";

const product = (number: number) => ({
  id: `p${number}`,
  region: number % 2 === 0 ? "eu" : "us",
  sku: `s${number}`,
  name: `Product ${number}`,
  price: number,
  seller_id: number % 3,
  brand_id: "b1",
});

export async function startShop() {
  const calls: string[] = [];
  const shop = await listen((request, response) => {
    const { url = "" } = request;
    const key = request.headers["x-api-key"];
    calls.push(`${url} ${key}`);
    const { pathname, searchParams } = new URL(url, "http://shop");
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (key === "stranger") return reply(403, { message: "not yours" });
    if (pathname === "/products") {
      const ids = searchParams.get("ids")?.split(",") ?? ["p1", "p2", "p3"];
      // there is no product 0
      return reply(200, { items: ids.filter((id) => id !== "p0").map((id) => product(Number(id.slice(1)))) });
    }
    const [, number = "0"] = /^\/products\/\w+\/s(\d+)$/.exec(pathname) ?? [];
    if (pathname.startsWith("/products/")) return reply(number === "0" ? 404 : 200, product(Number(number)));
    if (pathname === "/tags")
      return reply(
        200,
        // before the names are decoded, as REST reads them
        (/names=([^&]*)/.exec(url)?.[1] ?? "").split(",").map((name) => ({ name: decodeURIComponent(name) })),
      );
    if (pathname.startsWith("/postage/"))
      return reply(200, { price: searchParams.get("express") === "true" ? 9 : 5 });
    return reply(200, [{ number: 1, product_id: "p1" }]);
  });
  return { url: shop.url, calls, close: shop.close };
}
