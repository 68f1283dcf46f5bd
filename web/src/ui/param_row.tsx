/** One parameter as people meet it everywhere: its name, its key, its control, what it means, and where it comes from. */

import { type ReactNode, useId } from "react";
import css from "./param_row.module.css";
import { Terms } from "./term.tsx";

interface ParamRowProps {
	readonly paramKey: string;
	readonly name: string;
	/** "" where the name says all. */
	readonly shownKey: string;
	readonly meaning: string;
	/** Its default and the first kernel version that has it, in words. */
	readonly origin: string;
	readonly tag?: string | undefined;
	readonly isSet: boolean;
	/** The control, which takes the id. */
	readonly control: (id: string) => ReactNode;
	readonly children?: ReactNode;
}

export function ParamRow(props: ParamRowProps) {
	const { paramKey, name, shownKey, meaning, origin, tag = "", isSet, control, children } = props;
	const id = useId();
	return (
		<div className={isSet ? `field ${css.set}` : "field"} data-param={paramKey}>
			<span className={`flex wrap baseline apart ${css.head}`}>
				<label htmlFor={id}>
					{name}
					{shownKey !== "" && <code className={css.key}> {shownKey}</code>}
				</label>
				{tag !== "" && <span className="tag">{tag}</span>}
			</span>
			{control(id)}
			{meaning !== "" && (
				<p className="hint">
					<Terms>{meaning}</Terms> <span>{origin}</span>
				</p>
			)}
			{children}
		</div>
	);
}

interface Described {
	readonly default: string;
	readonly since: string;
}

export function originWords({ default: byDefault, since }: Described): string {
	return `Default: ${byDefault}${since === "" ? "" : `; since Linux ${since}`}.`;
}
