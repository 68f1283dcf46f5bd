/** Tests that short links are queries, and that long ones are never sent to a server. */
import { describe, expect, it } from "vitest";
import { addressTo, queryIn } from "./address.ts";
import { fromQuery, toQuery } from "./url.ts";

const PAGE = { pathname: "/slabscope/" };
/** Parses an address as a browser does. */
const located = (address: string) => {
	const { search, hash } = new URL(address, "https://example.org");
	return { search, hash };
};

describe("an address", () => {
	it("puts a short link in the query", () => {
		expect(addressTo("v=3&event=11", PAGE)).toBe("/slabscope/?v=3&event=11");
		expect(queryIn(located("/?v=3&event=11"))).toBe("?v=3&event=11");
	});

	it("sends no more than a common server accepts, however long the link, and restores it whole", () => {
		for (const length of [10, 1000, 1490, 1500, 2000, 8000]) {
			const view = { ...fromQuery(""), trace: "sandbox", sandbox: "x".repeat(length) };
			const address = addressTo(toQuery(view), PAGE);
			const sent = address.replace(/#.*/, "");
			expect(sent.length).toBeLessThan(1600);
			expect(fromQuery(queryIn(located(address)))).toEqual(view);
		}
	});

	it("still reads old long queries, and leaves other fragments alone", () => {
		const old = `?v=2&trace=sandbox&sandbox=${"y".repeat(7000)}`;
		expect(fromQuery(queryIn(located(`/${old}`))).sandbox).toHaveLength(7000);
		expect(queryIn(located("/?op=3#main"))).toBe("?op=3");
		expect(queryIn(located("/#main"))).toBe("");
	});
});
