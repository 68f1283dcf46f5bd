/*
 * print.h - what several commands answer: the kernel, an import, caches, reports of debugging.
 */
#ifndef CLI_PRINT_PRINT_H
#define CLI_PRINT_PRINT_H

#include "cli/cli.h"
#include "doc/doc.h"

/* A copy, because the session may build another machine. */
struct kernel {
	struct kmem_kernel row;
	char preset[64], recorded[128], words[256];
	char caches[512];      /* which part of --cache-params is in force, "" without it */
	char start[512];       /* what --warm made, "" without it */
	struct kmem_warm warm; /* the same in numbers */
	u32 start_from, from;  /* enum kmem_start_from; enum kmem_from of what depends on it */
};

struct kernel kernel_of(const struct host *h);
/* Returns how to choose another kernel than the default, to print after the words; "" for a kernel that somebody chose. */
const char *kernel_choice(const struct kernel *k);
/* "kernel modelled: linux-6.18, because the trace was recorded on Linux 6.18.15", indented by that many blanks; in JSON the members
 * `kernel`, and `from` for the memory figures of this object and of those in it. */
void kernel_doc(struct doc *d, const struct kernel *k, u32 indent);
/* The same of a session as it is now. */
void doc_kernel(struct doc *d, const struct host *h, u32 indent);
/* Kernel and start in one line above what an event did: "linux-6.1 · start from pointers, a guess · cycles are the model's". */
void kernel_head(struct doc *d, const struct host *h);
/* Prints the kernel on standard error, for commands whose output has rows of a fixed shape; prints nothing with --quiet. */
void kernel_note(const struct kernel *k, int quiet);
void kernel_note_now(const struct host *h);
/* Write `from`; and `from_of`, which names the figures for which that does not hold: "key=mark,key=mark", a mark as in
 * enum kmem_from. */
void doc_from(struct doc *d, u32 from);
void doc_from_of(struct doc *d, const char *marks);
/* The name of a mark, as JSON and CSV have it, and its words. */
const char *from_name(u32 from);
const char *mark(u32 from);
/* The mark of a row of kmem_measured among replays whose start has that mark, "" if it does not count memory. */
const char *measure_mark(u32 measure, u32 from);
/* The memory that the trace itself measures, wrapped; it comes first in a report, before what is modelled. */
void doc_measured(struct doc *d, const struct host *h, u32 indent);

/* The results of an import: in JSON the members of info, without `caches`. */
void doc_report(struct doc *d, const struct host *h);
/* That the trace is sampled, and by how much; nothing for a trace with every event. */
void doc_sampling(struct doc *d, const struct host *h);
/* The same for a replay, whose figures are not scaled, and why. */
void doc_replay_sampling(struct doc *d, const struct host *h);
/* Which caches' frees the trace does not show, and by how much the model has too much: "unseen", or sentences, nothing without
 * such a cache. */
void doc_unseen(struct doc *d, const struct host *h);

/* The members of replay, without those of info; outcome_rows() leaves out the reports of debugging. */
void outcome(struct doc *d, const struct host *h);
void outcome_rows(struct doc *d, const struct host *h);

/* A copy of all caches or of all lines of slabinfo, because rows of the session last until the next call only.
 * malloc'ed. */
struct kmem_cache_row *caches_take(const struct host *h, u32 *nr);
struct slabinfo {
	struct kmem_slabinfo_row *rows;
	u32 nr;
};
struct slabinfo slabinfo_take(const struct host *h);
/* The members "sysfs", with the content of each file, and "slabinfo" of one cache; null if its kernel has none. */
void doc_sysfs(struct doc *d, const struct host *h, const struct slabinfo *info, u32 cache);

/* The model's and the machine's values of each cache, if --machine-state was given. */
void doc_machine_state(struct doc *d, const struct host *h, const struct args *args);

enum { NO_TRACK = 0xffffffff };

/* The member `key`: which process allocated or freed an object, from where and when; null if op is NO_TRACK. */
void doc_track(struct doc *d, const char *key, u32 op, u32 cpu, u64 time, u32 site_at);
/* Members of a report: its check and where the fault is, and what was done about it. */
void doc_bug_values(struct doc *d, const struct kmem_bug *bug);
void doc_bug_fixes(struct doc *d, const struct kmem_bug *bug);
/* The members "reports_found" and "reports"; in text nothing if there are no reports. */
void doc_bugs(struct doc *d, const struct host *h);

#endif
