// index.ts - everything that works the same in a browser and in node; browser.ts and node.ts add the sources of the
// module.

export { FaultKind, Status } from "./abi.ts";
export { type Difference, SideBySide } from "./compare.ts";
export { compile, type Fault, KmemError } from "./core.ts";
export { FILTER_KEYS, type FilterCondition, type FilterKey } from "./filter.ts";
export type { Kept as KeptOfEvents, LookupLife, LookupResult } from "./lookup.ts";
export type { Growth, MachineOrder, MachineOrders } from "./machine.ts";
export { type KernelCounters, MEASURES, type Measured, type MeasureName } from "./measures.ts";
export type { FreeMatrix, MemoryPartRow, ParamChange, Savings } from "./memory.ts";
export type { Checked, CheckedCache, CheckedMove, Divergence, Edge, LeftOut } from "./reality.ts";
export {
	type Column,
	type Columns,
	type ExportFormat,
	type Frame,
	frameBuffers,
	framePlaces,
	frameSlabs,
	heldObjects,
	type Kernel,
	type Machine,
	type Named,
	type NamedRows,
	type Operation,
	type Order,
	type Problem,
	type Report,
	type Series,
	type Shape,
	type SlabObject,
	type StepArgument,
	type StepRow,
	type Steps,
	stepArgument,
	stepArguments,
	stepCounter,
	stepKind,
	type Workload,
	type WorkloadKey,
} from "./rows.ts";
export { type ExportPart, KmemSession, NOWHERE } from "./session.ts";
export type { SiteCache, SiteRow, SitesAnswer, SitesQuestion } from "./sites.ts";
export { type Figure, type Quantity, quantityText, SEEDS, type Study } from "./studies.ts";
export {
	type Chapter,
	type Condition,
	conditionsOf,
	type Lanes,
	type LifePage,
	type Point,
	type Thing,
	type Why,
} from "./travel.ts";
export { Unpacker } from "./unpacker.ts";
export { ALL, KmemViewer } from "./viewer.ts";
export type { WorkloadSettings } from "./workloads.ts";
