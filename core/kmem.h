/*
 * kmem.h - the public face of the core: all that the command, the wasm and the tests may call.
 *
 * One session holds a trace, a machine and a position in time. The host gives it one region of memory and
 * keeps out of it; results are structs of abi.def, read in place and valid until the next call on the session.
 *
 *	open ─ import chunks ─ set parameters ─ build ─┬─ seek, steps, peek ─ view, caches, totals
 *	                          ▲                    │
 *	                          └────── set ◄────────┘   (build again: same trace, another machine)
 *
 * Functions that can fail return 0 or a negative KMEM_E…; kmem_error() then has one sentence for a person, and
 * kmem_fault() what a program needs to act on it.
 */
#ifndef KMEM_H
#define KMEM_H

#include "kmem_types.h"

/* Half a declaration each, so not for the formatter. */
/* clang-format off */
/* First how many values each enum has: a struct of as many bytes. */
#define ENUM(name, doc) struct values_of_##name {
#define VALUE(name, key, words) u8 key;
#define ENUM_END(name) };
#define STRUCT(name, doc)
#define FIELD(type, name, doc)
#define FIELDS(type, name, count, doc)
#define STRUCT_END(name)
#include "tables/abi/abi.def"
#undef ENUM
#undef VALUE
#undef ENUM_END
#undef STRUCT
#undef FIELD
#undef FIELDS
#undef STRUCT_END

#define NR_VALUES(name) ((u32)sizeof(struct values_of_##name))

/* Counters of enum kmem_counter; the first NR_SLUB_COUNTERS are those of SLUB up to 6.17. */
enum {
	NR_COUNTERS = sizeof(struct values_of_kmem_counter),
	NR_SLUB_COUNTERS = offsetof(struct values_of_kmem_counter, CPU_PARTIAL_DRAIN) + 1,
	NR_METRICS = sizeof(struct values_of_kmem_metric),
	NR_MEASURES = sizeof(struct values_of_kmem_measure),
	NR_MEASURED = NR_MEASURES + NR_COUNTERS
};

#define ENUM(name, doc) enum name {
#define VALUE(name, key, words) key,
#define ENUM_END(name) };
#define STRUCT(name, doc) struct name {
#define FIELD(type, name, doc) type name;
#define FIELDS(type, name, count, doc) type name[count];
#define STRUCT_END(name) };
/* clang-format on */
#include "tables/abi/abi.def"
#undef ENUM
#undef VALUE
#undef ENUM_END
#undef STRUCT
#undef FIELD
#undef FIELDS
#undef STRUCT_END

/* Step kinds carry the prefix STEP_, because the counters already own the kernel's names. */
enum kmem_step_kind {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) STEP_##kind,
#include "tables/steps/steps.def"
#undef STEP
	NR_STEP_KINDS
};

enum kmem_param {
#define PARAM(id, key, type, owner, values, def, since, runtime, meaning) PARAM_##id,
#include "tables/params.def"
#undef PARAM
	NR_PARAMS
};

enum kmem_status {
	KMEM_OK = 0,
	KMEM_EINPUT = -1,  /* the trace cannot be used; kmem_error says why and what to do */
	KMEM_ELIMIT = -2,  /* a limit of kmem_types.h was passed */
	KMEM_ENOMEM = -3,  /* the region is too small */
	KMEM_EPARAM = -4,  /* unknown key or value */
	KMEM_ESTATE = -5,  /* called out of order: nothing is built, position past the end */
	KMEM_EBROKEN = -6, /* kmem_check found a broken law: a bug of ours */
};

struct kmem_session;

/* A session in the region [base, base + size), base aligned to 64 KiB and all zero; NULL if size < 4 MiB.
 * At most 4 GiB - 64 KiB are used. Memory is touched only as it is needed. */
KMEM_API struct kmem_session *kmem_open(void *base, u64 size);
/* Before the region goes: a build with the address sanitizer forgets what of it may not be touched. Nothing else needs it. */
void kmem_close(struct kmem_session *s);

/* Import: begin, any number of chunks of any size, end. Text is sniffed by content. A trace with problems
 * still imports (see kmem_report); KMEM_EINPUT is for what is no trace at all, and for a recording in which nothing
 * can be read: only a slabtrace may be without operations. */
KMEM_API s32 kmem_import_begin(struct kmem_session *s);
KMEM_API s32 kmem_import_chunk(struct kmem_session *s, const u8 *bytes, u32 len_bytes);
KMEM_API s32 kmem_import_end(struct kmem_session *s);
/* For a host that can read its file at any place: perf.data and trace.dat are then read with little memory, where a stream
 * of them is kept whole. Called after begin, with the size of the file; then, until the range is empty, each chunk is
 * what the file has from there on, as much of the range as the host likes. Text is asked for from front to back. */
KMEM_API s32 kmem_import_by_range(struct kmem_session *s, u64 file_bytes);
KMEM_API const struct kmem_range *kmem_import_range(struct kmem_session *s);
/* After begin: what the chunks hold is read into events and dropped, and end leaves no trace. For
 * benchmarks of reading alone. */
KMEM_API s32 kmem_import_dry(struct kmem_session *s);
/* During an import: the host knows that what it gives is cut off, where the bytes do not show it. The report says so, and an export
 * writes no end. */
KMEM_API s32 kmem_import_cut(struct kmem_session *s);
/* While an import goes on only its ops are filled in: how many so far, for a host that shows progress. */
KMEM_API const struct kmem_report *kmem_report(struct kmem_session *s);
/* CSV with a header row: its columns are known by their names. Where they are not, kmem_import_chunk or _end gives
 * KMEM_EINPUT and kmem_columns says what the header has, what is known of it and what is missing; the host asks and
 * imports again, with kmem_import_columns between begin and the first chunk:
 *	"ptr=addr,req=bytes,event=what,unit=us"
 * ROLE=COLUMN pairs; a role is a ROLE_… of abi.def in lower case without its prefix, a column its name in the
 * header (any case) or its number from 1; id instead of ptr says that objects have numbers or words for
 * names and no addresses; unit is that of the time: ns, us, ms, s, ticks. With a mapping whatever
 * comes is read as CSV. Roles not named are known by the names as before. NULL or "": nothing said. */
KMEM_API s32 kmem_import_columns(struct kmem_session *s, const char *mapping);
KMEM_API const struct kmem_columns *kmem_columns(struct kmem_session *s);

/*
 * Unpacks a gzip or zstd file as a stream, apart from any session: in a region of its own (base aligned to 64 KiB, at least
 * 1 MiB). The host puts packed bytes where _input says, at most room_bytes, and calls _run with how many they are; is_last
 * says that no more will come. _run returns how many unpacked bytes _output has, less than 512 KiB however well they
 * were packed; they stay until the next call. 0: it needs more input or, after is_last, it is through. Negative: it cannot
 * go on, and _error has the sentence; what was good came before. Memory: the window of the data, at most 128 MiB, a quarter of
 * it, and 2 MiB; KMEM_ELIMIT for a larger window. _left: packed bytes that are there and not used.
 */
struct kmem_unpack;
KMEM_API struct kmem_unpack *kmem_unpack_open(void *base, u64 size);
KMEM_API u8 *kmem_unpack_input(struct kmem_unpack *u, u32 *room_bytes);
KMEM_API s32 kmem_unpack_run(struct kmem_unpack *u, u32 len_bytes, u32 is_last);
KMEM_API const u8 *kmem_unpack_output(struct kmem_unpack *u);
KMEM_API u32 kmem_unpack_left(struct kmem_unpack *u);
KMEM_API const char *kmem_unpack_error(struct kmem_unpack *u);

/* Call sites of the trace, i from 0 on; "" where none is told, and one may come more than once; NULL: there are no more.
 * kmem_next_call: the operation after op (0xffffffff: from the first on), or with back the last before it, that was
 * called from there; 0xffffffff if there is none. */
KMEM_API const char *kmem_call_site(struct kmem_session *s, u32 i);
KMEM_API u32 kmem_next_call(struct kmem_session *s, const char *call_site, u32 op, u32 back);

/* Instead of an import: a trace that is made. kmem_workloads_json lists the workloads and their keys; settings are
 * KEY=VALUE words, such as "seed=7 scale=2 threads=256 nodes=4", keys of the workload, or parameters and preset=NAME, which
 * go on the trace's machine line. The same settings give the same operations everywhere, those of the exported text. _run makes
 * about max_ops more: it returns how many thousandths are still to go, 0 once the trace is there, or a negative
 * status. */
KMEM_API s32 kmem_workload_begin(struct kmem_session *s, const char *name, const char *settings);
KMEM_API s32 kmem_workload_run(struct kmem_session *s, u32 max_ops);
KMEM_API const char *kmem_workloads_json(struct kmem_session *s);

/* Rows of what the recorded kernel counted itself (slub_stat lines), by cache; none where it told nothing. */
KMEM_API const struct kmem_told_row *kmem_told(struct kmem_session *s, u32 *nr);
/* Sentences on a row of these and the model up to the position, or on all with 0xffffffff, i from 0 on: how many slow paths
 * either had (of all only), then what makes the difference; "" where there is nothing to say, NULL: there are no more. */
KMEM_API const char *kmem_told_why(struct kmem_session *s, u32 row, u32 i);

/* Measures the trace: sizes, lifetimes, frees on other CPUs, live objects. NULL if there is none or no memory. */
KMEM_API const struct kmem_shape *kmem_shape(struct kmem_session *s);

/* The state of a real machine's caches, to lay over the model's: /proc/slabinfo, `grep -r . /sys/kernel/slab` (-R: with
 * aliases), or tables of the kind of traces/README.md, one after the other in chunks of any size. begin forgets what was
 * there and may need the room of what is built, which then is to be built again; KMEM_EINPUT at the end if there was no
 * cache in it. kmem_overlay_file before each file of several: the first cache (alias) of a file replaces all caches
 * (aliases) of the files before it; returns 1 if the file that ends there has replaced some. Rows are in the machine's
 * order. kmem_overlay_of: the row of a cache of the model, by its name or by an alias; NULL if there is none.
 *
 * kmem_overlay_use with 1: from the next build on caches of these names are made with the size, alignment and flags that
 * the machine has, and with its order, thresholds and sheaves as far as nobody has set a parameter that decides them
 * (machine_state/machine_state_apply.c). kmem_cache_params_begin in the place of kmem_overlay_begin: another such state, which is not
 * shown, and which caches are made of in the place of the one that is. kmem_cache_params_text: what of it is in force,
 * "" if there is none. */
KMEM_API s32 kmem_overlay_begin(struct kmem_session *s);
KMEM_API s32 kmem_cache_params_begin(struct kmem_session *s);
KMEM_API u32 kmem_overlay_file(struct kmem_session *s);
KMEM_API s32 kmem_overlay_chunk(struct kmem_session *s, const u8 *bytes, u32 len_bytes);
KMEM_API s32 kmem_overlay_end(struct kmem_session *s);
KMEM_API const char *kmem_cache_params_text(struct kmem_session *s);
KMEM_API const struct kmem_overlay_row *kmem_overlay_rows(struct kmem_session *s, u32 *nr);
KMEM_API const struct kmem_overlay_row *kmem_overlay_of(struct kmem_session *s, u32 cache);
KMEM_API void kmem_overlay_use(struct kmem_session *s, u32 on);

/* The seeds' experiments: a proposal to the kernel with its figures, and the same measured here (proposals.def,
 * studies/experiment.h). seed: "000" to "004", or its name. One takes the session for itself: trace and machine give way to
 * those of its runs, and until it is over no call but these may come. _run makes or runs about max_ops more operations:
 * it returns how many thousandths are still to go, 0 once every row is complete, or a negative status. What is set by
 * kmem_set holds in every run, also against what a run wants: `work`, or a cost of the machine, but hardly `allocator`.
 * scale: how much of each workload in hundredths, 100 for all of it. The rows are there from the beginning, with the
 * seed's figures; ours, agrees, rule and why come at the end. */
KMEM_API s32 kmem_experiment_begin(struct kmem_session *s, const char *seed, u32 scale);
KMEM_API s32 kmem_experiment_run(struct kmem_session *s, u32 max_ops);
KMEM_API const struct kmem_experiment *kmem_experiment(struct kmem_session *s);

/* Parameters. Values set here win over a trace's machine line. NULL or "" as value: back to the default.
 * kmem_preset sets the keys as that kernel had them ("linux-6.1"). Both take effect at the next build. */
KMEM_API s32 kmem_set(struct kmem_session *s, const char *key, const char *value);
KMEM_API s32 kmem_preset(struct kmem_session *s, const char *name);
/* The kernel that is modelled, as far as it is known: after the import the trace may have named one, and then the nearest
 * preset that is not newer is in force, unless the user or the trace names a preset. */
KMEM_API const struct kmem_kernel *kmem_kernel(struct kmem_session *s);
/* KMEM_EPARAM and a sentence if settings contradict each other. It may be called at any time: before an import it looks at
 * what kmem_set has set alone, later at what the trace has set too. A build checks again. */
KMEM_API s32 kmem_check_settings(struct kmem_session *s);
/* A machine in one line, ALLOCATOR[,KEY=VALUE...], of which the keys must be the allocator's or the machine's; preset=NAME
 * is a key too. After an error some of it may be set. */
KMEM_API s32 kmem_set_spec(struct kmem_session *s, const char *spec);
/* The value in force of one parameter, as one would write it ("automatic", "seed-2008"); NULL: no such key. */
KMEM_API const char *kmem_param(struct kmem_session *s, const char *key);
/* Of a parameter by its number: which allocators have it, as "slub unified", "machine" or "all"; its meaning; 1 if the
 * allocator in force has it. */
const char *kmem_param_allocators(struct kmem_session *s, u32 param);
const char *kmem_param_meaning(struct kmem_session *s, u32 param);
u32 kmem_has_param(struct kmem_session *s, u32 param);
/* 1 if the allocator in force chooses an order by the size of objects: kmem_order has something to say. */
u32 kmem_chooses_orders(struct kmem_session *s);
/* JSON text: every parameter with its meaning and its value in force; presets with the keys they set. */
KMEM_API const char *kmem_params_json(struct kmem_session *s);

/* Makes the machine and goes through the trace once, leaving keyframes and the timeline's series; ends at the
 * last op. budget_bytes bounds the keyframes (0: 25 bytes an op, within 4 and 256 MiB; never less than the
 * empty machine takes). build_begin and build_run do the
 * same in slices, so that a host can show progress: build_run returns ops still to go, or a negative status. */
KMEM_API s32 kmem_build(struct kmem_session *s, u64 budget_bytes);
KMEM_API s32 kmem_build_begin(struct kmem_session *s, u64 budget_bytes);
KMEM_API s64 kmem_build_run(struct kmem_session *s, u32 max_ops);

/* Instead of a build, where only what it comes to is wanted: through the trace once, in slices as build_run goes. What
 * comes of it: NR_MEASURES rows by enum kmem_measure and, behind them, one of each counter; NULL: nothing was run. The
 * end can then be looked at as after a build, but no other position. */
KMEM_API s32 kmem_measure_begin(struct kmem_session *s);
KMEM_API s64 kmem_measure_run(struct kmem_session *s, u32 max_ops);
KMEM_API const struct kmem_measured *kmem_measured(struct kmem_session *s, u32 *nr);

/* In the place of kmem_build_begin: the operations of the trace are put in the order in which CPUs that are at work at
 * the same time come to them, each CPU's and each object's staying in theirs (replay/cpu_schedule.h). The order depends on machine
 * and parameters, `work` among them. Once all have run it is that of the trace, whose recorded times are then
 * forgotten; until then another build has the trace as it was. */
KMEM_API s32 kmem_build_by_clocks(struct kmem_session *s, u64 budget_bytes);

/* Position: n operations done, 0 <= n <= nr_ops. Leaves the state of a straight run, bit for bit. */
KMEM_API u32 kmem_nr_ops(struct kmem_session *s);
KMEM_API u32 kmem_position(struct kmem_session *s);
KMEM_API s32 kmem_seek(struct kmem_session *s, u32 n);
/* Straight run of n more ops from the position, with step records into the ring or without: what benchmarks time. */
KMEM_API s32 kmem_run(struct kmem_session *s, u32 n, u32 record);
/* The nearest op after (before) the position of that granularity; of one cache, or of all (0xffff).
 * Returns the position to seek to: ops done once that op is done. nr_ops (0) if there is none. */
KMEM_API u32 kmem_next(struct kmem_session *s, u32 granularity, u32 cache);
KMEM_API u32 kmem_previous(struct kmem_session *s, u32 granularity, u32 cache);

/* Decisions of operation op (0 <= op < nr_ops); returns how many, or a negative status. */
KMEM_API s32 kmem_steps(struct kmem_session *s, u32 op);
/* The steps that the last kmem_steps found. */
KMEM_API const struct kmem_step *kmem_step_rows(struct kmem_session *s);
KMEM_API const char *kmem_step_sentence(struct kmem_session *s, const struct kmem_step *step);
KMEM_API const struct kmem_op_row *kmem_op(struct kmem_session *s, u32 op);
KMEM_API const char *kmem_op_sentence(struct kmem_session *s, u32 op);

/* The index: which operation touched what. Made when it is wanted, after a build, in one more pass with recording; it
 * takes about 17 bytes an operation, of budget_bytes if that is not 0 (KMEM_ENOMEM: all else works without), and lasts
 * until the next build. In slices like a build: index_run returns about how many operations are still to go. It and the
 * search below move the position; other calls may come between slices. */
KMEM_API s32 kmem_index(struct kmem_session *s, u64 budget_bytes);
KMEM_API s32 kmem_index_begin(struct kmem_session *s, u64 budget_bytes);
KMEM_API s64 kmem_index_run(struct kmem_session *s, u32 max_ops);
/* What it takes; 0 when there is none. */
KMEM_API u64 kmem_index_bytes(struct kmem_session *s);

/* Lives, from the index: of a cache (slab and index 0xffffffff), of a slab in it, of a place for objects in that. In
 * numbers, or as rows in the order of operations: those from operation `from` on, or, with back, the last ones before
 * it; at most `max`, and 4096. NULL: there is no index, or there never was such a thing. */
KMEM_API const struct kmem_life *kmem_life(struct kmem_session *s, u32 cache, u32 slab, u32 index);
KMEM_API const struct kmem_life_row *kmem_life_rows(struct kmem_session *s, u32 cache, u32 slab,
						    u32 index, u32 from, u32 back, u32 max,
						    u32 *nr);
/* The object that an operation allocated, freed or corrupted, with its neighbours in time. */
KMEM_API const struct kmem_incarnation *kmem_incarnation(struct kmem_session *s, u32 op);
/* Who was last allocated at a place up to operation op, or else first after it: the operation that did it, 0xffffffff if
 * nobody ever was. */
KMEM_API u32 kmem_alloc_at(struct kmem_session *s, u32 cache, u32 slab, u32 index, u32 op);

/* The search for a step at which one of nr conditions (1 to 64) holds: the first at or after step `step` of operation
 * op, or, with back, the last before it. find_run looks at up to max_ops operations and returns how many may be to go,
 * 0 when it is over; kmem_found is then the place, or NULL. With an index it passes over what cannot hold. The
 * allocation of an object is at the last step of its operation, its free at the first. */
KMEM_API s32 kmem_find_begin(struct kmem_session *s, const struct kmem_condition *conditions,
			     u32 nr, u32 op, u32 step, u32 back);
KMEM_API s64 kmem_find_run(struct kmem_session *s, u32 max_ops);
KMEM_API const struct kmem_found *kmem_found(struct kmem_session *s);

/* A number for what each of n operations from op on (0 <= op <= nr_ops) decided: which kinds of steps, about which
 * nodes, and where the object went. Machines decide alike while their numbers are equal. *nr: how many there are, at
 * most MAX_PRINTS; the position is behind them. NULL: kmem_error says why. */
KMEM_API const u32 *kmem_prints(struct kmem_session *s, u32 op, u32 n, u32 *nr);

/* The world as rows, of one cache or of all (0xffff): at the position, or as it stood right after step k
 * (from 0) of operation op was emitted. */
KMEM_API const struct kmem_frame *kmem_view(struct kmem_session *s, u32 cache);
KMEM_API const struct kmem_frame *kmem_peek(struct kmem_session *s, u32 op, u32 k, u32 cache);

/* What checks of debugging have found up to the position, in their order; the first 1024. *all: how many there were. */
KMEM_API const struct kmem_bug *kmem_reports(struct kmem_session *s, u32 *nr, u32 *all);
/* One of them as lines of text, with what the kernel prints. */
KMEM_API const char *kmem_report_text(struct kmem_session *s, const struct kmem_bug *bug);

/* One object at the position, by its slab's serial number and its place there; NULL if there is none. */
KMEM_API const struct kmem_object_row *kmem_object(struct kmem_session *s, u32 cache, u32 slab,
						   u32 index);
/* The bytes of its slot, in runs: what they hold and what they should hold. *nr is 0 where the allocator's model
 * keeps no bytes; NULL then, and if there is no such object. */
KMEM_API const struct kmem_byte_run *kmem_object_bytes(struct kmem_session *s, u32 cache, u32 slab,
						       u32 index, u32 *nr);

/* Tables at the position. Cache ids are 0…n-1 in the order of first use. */
KMEM_API const struct kmem_cache_row *kmem_cache_rows(struct kmem_session *s, u32 *nr);
/* The files of a cache under /sys/kernel/slab with what they read; none where the allocator's kernel has no such files. */
KMEM_API const struct kmem_attribute_row *kmem_attributes(struct kmem_session *s, u32 cache,
							  u32 *nr);
/* Lines of /proc/slabinfo in the file's order, latest cache first; none where the allocator's kernel has no such
 * file. As text: all of the file. */
KMEM_API const struct kmem_slabinfo_row *kmem_slabinfo(struct kmem_session *s, u32 *nr);
KMEM_API const char *kmem_slabinfo_text(struct kmem_session *s);
KMEM_API const struct kmem_zone_row *kmem_zone_rows(struct kmem_session *s, u32 *nr);
/* Where time went: rows of all CPUs, of all locks that were ever taken. */
KMEM_API const struct kmem_cpu_row *kmem_cpu_rows(struct kmem_session *s, u32 *nr);
KMEM_API const struct kmem_lock_row *kmem_lock_rows(struct kmem_session *s, u32 *nr);
KMEM_API const struct kmem_totals *kmem_totals(struct kmem_session *s);
/* 1 if the allocator in force counts it: counters that it does not have read 0. */
KMEM_API u32 kmem_has_counter(struct kmem_session *s, u32 counter);
/* The same of a row of kmem_measured, by its number: enum kmem_measure, or a counter behind the measures. Everything that
 * shows numbers of several allocators asks here which of them an allocator has; "–" stands for the others. */
KMEM_API u32 kmem_has_measure(struct kmem_session *s, u32 measured);
KMEM_API const struct kmem_series *kmem_series(struct kmem_session *s, u32 metric);
KMEM_API u32 kmem_nr_cpus(struct kmem_session *s);
KMEM_API u32 kmem_nr_nodes(struct kmem_session *s);
KMEM_API u32 kmem_node_of_cpu(struct kmem_session *s, u32 cpu);
/* CPUs, nodes, page size and parameters in force, as slabtrace's machine line would say them. */
KMEM_API const char *kmem_machine_text(struct kmem_session *s);

/* Bytes of the whole state at the position, which is what a keyframe of it takes; 0 when nothing is built. */
KMEM_API u64 kmem_state_bytes(struct kmem_session *s);
/* Of every byte of the world: equal for equal states, whatever built them. 0 when nothing is built. */
KMEM_API u64 kmem_hash(struct kmem_session *s);
/* Every law of the world and of the allocator: 0, or KMEM_EBROKEN and kmem_error names the law. */
KMEM_API s32 kmem_check(struct kmem_session *s);

/* The order rule for one slot size, with the session's parameters; tries in *tries. */
KMEM_API const struct kmem_order_row *kmem_order(struct kmem_session *s, u32 size);
KMEM_API const struct kmem_order_try *kmem_order_tries(struct kmem_session *s, u32 *nr);

/* The trace as text, piece by piece from event *op on (0 at first), into buf; returns bytes written, 0 at the end.
 * to: 0 slabtrace, 1 ftrace. */
KMEM_API s32 kmem_export(struct kmem_session *s, u32 to, u32 *op, u8 *buf, u32 len_bytes);

/* The sentence of the last failed call, and the same for programs: nothing may depend on the words of a sentence. */
KMEM_API const char *kmem_error(struct kmem_session *s);
KMEM_API const struct kmem_fault *kmem_fault(struct kmem_session *s);
/* Hash of abi.def, steps.def and params.def, to compare with the generated TypeScript. */
KMEM_API u32 kmem_abi_hash(void);

#endif
