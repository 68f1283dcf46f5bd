/** A field whose text takes effect on Enter, or on leaving the field. */
import { type ComponentProps, useState } from "react";
import { TextInput } from "../controls.tsx";

interface EntryProps extends ComponentProps<typeof TextInput> {
	/** The text in effect. */
	readonly value: string;
	/** Gets another text, without blanks around it. */
	readonly onEnter: (text: string) => void;
}

export function Entry({ value, onEnter, ...props }: EntryProps) {
	const [text, setText] = useState<string | null>(null);
	const enter = () => {
		const entered = text?.trim() ?? value;
		if (entered !== value) onEnter(entered);
		setText(null);
	};
	return (
		<TextInput
			{...props}
			value={text ?? value}
			onChange={(e) => setText(e.currentTarget.value)}
			onBlur={enter}
			onKeyDown={(e) => {
				if (e.key === "Enter") enter();
			}}
		/>
	);
}
