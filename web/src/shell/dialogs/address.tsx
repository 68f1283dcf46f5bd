/** Asks before the page asks another server for a file, and shows how it goes. */
import { useEffect, useRef, useState } from "react";
import { sentenceOf } from "../../app/playback/player.ts";
import { busy, change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { fetchElsewhere } from "../../app/trace/fetch_elsewhere.ts";
import { isOwn, openAddress, openFetched, readAddress } from "../../app/trace/from_address.ts";
import { bytes } from "../../base/format.ts";
import { Button, Field } from "../../ui/controls.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import css from "./paste.module.css";

export function AddressDialog() {
	const asking = useFacts((f) => f.asking);
	return (
		<Dialog title="Open a web address" onLeave={() => change({ asking: "" })}>
			{asking === "" ? <Entry /> : <Consent address={asking} />}
		</Dialog>
	);
}

function Entry() {
	const [text, setText] = useState("");
	const [refused, setRefused] = useState("");
	const open = () => {
		const url = readAddress(text.trim());
		if (typeof url === "string") setRefused(url);
		else {
			if (isOwn(url)) change({ dialog: "" });
			void openAddress(url.href);
		}
	};
	return (
		<form
			className={css.address}
			onSubmit={(event) => {
				event.preventDefault();
				open();
			}}
		>
			<Field label="Address of a trace">
				{(id) => (
					<input
						id={id}
						type="url"
						data-first
						value={text}
						placeholder="https://"
						onChange={(event) => setText(event.currentTarget.value)}
					/>
				)}
			</Field>
			<p role="status">{refused}</p>
			<Button type="submit">Go on</Button>
		</form>
	);
}

/** The server learns that somebody asks, and from which page and network; nothing else leaves the page. */
function Consent({ address }: { address: string }) {
	const url = new URL(address);
	const [done, setDone] = useState(-1);
	const [failed, setFailed] = useState("");
	const stop = useRef<AbortController>(undefined);
	useEffect(() => () => stop.current?.abort(), []);
	const start = async () => {
		stop.current = new AbortController();
		setFailed("");
		setDone(0);
		try {
			const signal = stop.current.signal;
			const file = await busy(() => fetchElsewhere(address, { onBytes: setDone, signal }));
			change({ dialog: "", asking: "" });
			await openFetched(url, file);
		} catch (error) {
			setDone(-1);
			if (!stop.current.signal.aborted) setFailed(sentenceOf(error));
		}
	};
	return (
		<div className={css.address}>
			<p>
				This trace is on another server, <strong>{url.host}</strong>:
			</p>
			<p className={css.url}>{address}</p>
			<p>
				If you allow it, your browser asks that server for the file, without cookies. The server
				learns your network address and the address of this page, as with any download. Nothing of
				your traces is sent.
			</p>
			<p role="status">
				{failed}
				{done >= 0 && `${bytes(done)} so far`}
			</p>
			<div className="row">
				{done < 0 ? (
					<Button data-first onClick={() => void start()}>
						Fetch it from {url.host}
					</Button>
				) : (
					<Button onClick={() => stop.current?.abort()}>Stop</Button>
				)}
				<a className="tool-text" href={address} target="_blank" rel="noopener noreferrer">
					Download it instead, then drop it here
				</a>
			</div>
		</div>
	);
}
