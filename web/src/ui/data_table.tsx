/** Tables whose columns are data: their heads, rows and order. */

import { type ComponentProps, type Key, type ReactNode, useState } from "react";
import { classes, Scrolls } from "./controls.tsx";
import css from "./data_table.module.css";

export interface Column<Row> {
	/** Its heading, which also identifies it. */
	readonly name: string;
	/** The heading to show, if it is more than the name. */
	readonly head?: ReactNode;
	/** More to read under the pointer. */
	readonly title?: string | undefined;
	readonly show: (row: Row, nr: number) => ReactNode;
	/** The key that rows are sorted by; numbers in words sort by number. */
	readonly of?: ((row: Row) => number | string) | undefined;
	/** The class of its cells, but not of its head. */
	readonly className?: string | undefined;
	/** Rows cannot be sorted by it, although they can by other columns. */
	readonly isFixed?: boolean;
	/** Its words are aligned left, and it sorts from the first word down rather than from the largest number. */
	readonly isOfWords?: boolean;
}

export interface Sorting {
	/** The name of a column. */
	readonly by: string;
	readonly up: boolean;
}

/** Rows that are equal in the column keep their order. */
export function sortedBy<Row>(
	rows: readonly Row[],
	columns: readonly Pick<Column<Row>, "name" | "of">[],
	{ by, up }: Sorting,
): readonly Row[] {
	const of = columns.find(({ name }) => name === by)?.of;
	if (!of) return rows;
	const compare = (a: Row, b: Row) => {
		const [x, y] = [of(a), of(b)];
		return typeof x === "number" && typeof y === "number"
			? x - y
			: `${x}`.localeCompare(`${y}`, undefined, { numeric: true });
	};
	return rows.toSorted((a, b) => (up ? compare(a, b) : compare(b, a)));
}

/** The columns of a table that can be sorted by its heads, its rows, and its order. */
export function useSorted<Row>(
	columns: readonly Column<Row>[],
	unsorted: readonly Row[],
	first: Sorting,
) {
	const [sorting, onSort] = useState(first);
	return { columns, rows: sortedBy(unsorted, columns, sorting), sorting, onSort };
}

interface TableProps<Row> {
	/** The subject of the table; only screen readers get it, unless the table `hasCaption`. */
	readonly caption: ReactNode;
	readonly hasCaption?: boolean;
	/** The first one names the rows, unless they are `nameless`. */
	readonly columns: readonly Column<Row>[];
	readonly rows: readonly Row[];
	readonly nameless?: boolean;
	readonly keyOf: (row: Row, nr: number) => Key;
	readonly className?: string | undefined;
	/** A row's class, marks and the like. */
	readonly rowProps?: (
		row: Row,
	) => ComponentProps<"tr"> & Readonly<Record<`data-${string}`, unknown>>;
	/** If the table has a name here, it scrolls by itself. */
	readonly label?: string;
	readonly scrollClass?: string;
	/** If given, a press on a head sorts by its column, and another one reverses the order. */
	readonly sorting?: Sorting | undefined;
	readonly onSort?: ((sorting: Sorting) => void) | undefined;
}

export function DataTable<Row>(props: TableProps<Row>) {
	const { label, scrollClass, caption, hasCaption, className } = props;
	const { columns, rows, nameless, keyOf, rowProps } = props;
	const table = (
		<table className={classes("number", css.table, className)}>
			<caption className={hasCaption ? undefined : "hidden"}>{caption}</caption>
			<thead>
				<tr>
					{columns.map((column) => (
						<Head key={column.name} column={column} {...props} />
					))}
				</tr>
			</thead>
			<tbody>
				{rows.map((row, nr) => (
					<tr key={keyOf(row, nr)} {...rowProps?.(row)}>
						{columns.map(({ name, show, isOfWords, className: own }, i) =>
							i === 0 && !nameless ? (
								<th key={name} scope="row" className={own}>
									{show(row, nr)}
								</th>
							) : (
								<td key={name} className={classes(isOfWords && "left", own)}>
									{show(row, nr)}
								</td>
							),
						)}
					</tr>
				))}
			</tbody>
		</table>
	);
	if (label === undefined) return table;
	return (
		<Scrolls label={label} {...(scrollClass === undefined ? {} : { className: scrollClass })}>
			{table}
		</Scrolls>
	);
}

interface HeadProps<Row> extends Pick<TableProps<Row>, "sorting" | "onSort"> {
	readonly column: Column<Row>;
}

function Head<Row>({ column, sorting, onSort }: HeadProps<Row>) {
	const { name, head = name, title, isFixed, isOfWords = false } = column;
	const className = isOfWords ? "left" : undefined;
	if (!sorting || isFixed)
		return (
			<th scope="col" className={className} title={title}>
				{head}
			</th>
		);
	const isChosen = sorting.by === name;
	const turned = { by: name, up: isChosen ? !sorting.up : isOfWords };
	const order = sorting.up ? "ascending" : "descending";
	return (
		<th scope="col" className={className} aria-sort={isChosen ? order : "none"}>
			<button type="button" title={title} onClick={() => onSort?.(turned)}>
				{head}
			</button>
		</th>
	);
}
