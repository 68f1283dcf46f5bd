/**
 * A link as an address. A short one is a query, `?v=3&…`. A long one goes after the `#`, which browsers do not send:
 * servers refuse a request whose address, or the page's address in `Referer`, is too long for them (status 431 or
 * 414).
 */

/** The strictest common server accepts 4 KiB for all headers, and the address is in two of them. */
const QUERY_MOST = 1500;
const HASH = "#v=";

/** Returns the address on screen as a query. */
export function queryIn({ search, hash }: Pick<Location, "search" | "hash">): string {
	return hash.startsWith(HASH) ? hash.slice(1) : search;
}

/** Returns this page's address with a query. */
export function addressTo(query: string, { pathname }: Pick<Location, "pathname">): string {
	return `${pathname}${query.length > QUERY_MOST ? "#" : "?"}${query}`;
}

/** Returns the address on screen in the same form. */
export function addressOnScreen({ pathname, search, hash }: Location): string {
	return `${pathname}${search}${hash}`;
}
