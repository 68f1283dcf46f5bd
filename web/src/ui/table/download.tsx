/** A button that saves a table as a file. */
import { fileName, save } from "../../app/trace/save_file.ts";
import { type Table, toCsv } from "../../base/csv_table.ts";
import { Button } from "../controls.tsx";

/** The file is named after the table. */
export function DownloadCsv({ table }: { readonly table: () => Table }) {
	const download = () => {
		const made = table();
		save(new Blob([toCsv(made)], { type: "text/csv" }), fileName(made.name, "csv"));
	};
	return <Button onClick={download}>Download CSV</Button>;
}
