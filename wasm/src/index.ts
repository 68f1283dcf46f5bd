// index.ts - the wasm room's door: everything that runs in a browser and in node alike. node.ts adds files.

export { Status } from "./abi.ts";
export { compile, KmemError } from "./core.ts";
export {
	ALL,
	type Column,
	type Columns,
	type ExportFormat,
	type Frame,
	frameBuffers,
	framePlaces,
	frameSlabs,
	KmemSession,
	type Machine,
	type Named,
	NOWHERE,
	type Operation,
	type Order,
	type Problem,
	type Report,
	type Series,
	type StepRow,
	type Steps,
} from "./session.ts";
export { type StepArgument, stepArgument, stepArguments, stepCounter, stepKind } from "./steps.ts";
