/*
 * record_spool.h - the file that `slabscope record` and its library in the program share.
 *
 * A head, then chunks of events. The library maps the file and writes; the command reads it after the program's end, however that
 * came. Each thread writes into a chunk of its own, so it takes a lock only once in 1,023 events. Within a chunk times never
 * decrease. Both sides come from one build, so there are no versions.
 */
#ifndef PRELOAD_RECORD_SPOOL_H
#define PRELOAD_RECORD_SPOOL_H

#include "kmem_types.h"

#define RECORD_MAGIC 0x31304c4f4f505352ull /* "RSPOOL01" */
/* The variable of the environment that holds the path of the spool. */
#define RECORD_VARIABLE "SLABSCOPE_RECORD"

enum {
	RECORD_CHUNK_EVENTS = 1023,
	RECORD_CPUS = 64, /* virtual CPUs; more threads than these at once share them */
	MAX_RECORD_MODULES = 2048,
	RECORD_PATH_BYTES = 480,
};

/*
 * RECORD_KIND(ID, the name that slabtrace's kind= gets)
 * RESIZE and REALLOC or REALLOCARRAY are the halves of one call: the old object, when the call begins, and the new one, when it
 * ends. EXEC: another program begins in this process, and all objects are gone.
 */
#define RECORD_KINDS                                  \
	RECORD_KIND(NOTHING, "")                      \
	RECORD_KIND(MALLOC, "malloc")                 \
	RECORD_KIND(CALLOC, "calloc")                 \
	RECORD_KIND(POSIX_MEMALIGN, "posix_memalign") \
	RECORD_KIND(ALIGNED_ALLOC, "aligned_alloc")   \
	RECORD_KIND(MEMALIGN, "memalign")             \
	RECORD_KIND(VALLOC, "valloc")                 \
	RECORD_KIND(PVALLOC, "pvalloc")               \
	RECORD_KIND(NEW, "new")                       \
	RECORD_KIND(RESIZE, "")                       \
	RECORD_KIND(REALLOC, "realloc")               \
	RECORD_KIND(REALLOCARRAY, "reallocarray")     \
	RECORD_KIND(FREE, "free")                     \
	RECORD_KIND(EXEC, "")

enum record_kind {
#define RECORD_KIND(id, name) RECORD_##id,
	RECORD_KINDS
#undef RECORD_KIND
		NR_RECORD_KINDS
};

struct record_event {
	u64 time;  /* nanoseconds of CLOCK_MONOTONIC */
	u64 ptr;   /* 0: the call failed */
	u64 bytes; /* requested; above RECORD_THREAD_SHIFT the number of the thread */
	u64 site; /* address behind the call; above RECORD_KIND_SHIFT its kind, above RECORD_CPU_SHIFT the CPU */
};

enum { RECORD_THREAD_SHIFT = 40, RECORD_KIND_SHIFT = 48, RECORD_CPU_SHIFT = 56 };

struct record_chunk {
	u32 nr_events; /* written after each event */
	u32 next;      /* the library's: another chunk that no thread uses, plus 1 */
	u32 unused[6];
	struct record_event events[RECORD_CHUNK_EVENTS];
};
_Static_assert(sizeof(struct record_chunk) == 32768, "chunks begin at whole pages");

/* Code that calls: a mapping that may be executed. */
struct record_module {
	u64 start, end; /* addresses */
	u64 offset;	/* of the start in its file */
	u32 image;	/* how many programs were started in the process before */
	u32 is_program; /* it is the program itself, not a library */
	char path[RECORD_PATH_BYTES];
};

struct record_head {
	u64 magic;
	u32 pid;	/* the process to record; others write nothing */
	u32 max_chunks; /* the file has room for these */
	u32 nr_chunks;	/* begun */
	u32 nr_images;	/* programs that were started in the process */
	u32 nr_threads, nr_cpus;
	u32 nr_modules;
	u32 unused;
	u64 full_at; /* when the last chunk was full, or the disk: later events are left out. 0: never */
	u64 lost; /* events that were left out */
	struct record_module modules[MAX_RECORD_MODULES];
};

/* Where the first chunk begins. */
#define RECORD_HEAD_BYTES (((u64)sizeof(struct record_head) + 32767) / 32768 * 32768)

#endif
