/*
 * record_spool.h - the file that `slabscope record` and its library in the program share.
 *
 * A head, then chunks of events. Every process that loads the library maps the file and writes; the command reads it
 * after the first process has ended, for whatever reason. Each thread writes into its own chunk, so it takes a lock
 * only once in 1,023 events. Processes share no lock, because a killed one would keep it. Within a chunk times never
 * decrease. Both sides come from one build, so there are no versions.
 */
#ifndef PRELOAD_RECORD_SPOOL_H
#define PRELOAD_RECORD_SPOOL_H

#include "kmem_types.h"

#define RECORD_MAGIC 0x32304c4f4f505352ull /* "RSPOOL02" */
/* The variable of the environment that holds the path of the spool. */
#define RECORD_VARIABLE "SLABSCOPE_RECORD"

enum {
	RECORD_CHUNK_EVENTS = 1023,
	RECORD_PAGE_EVENTS = 128, /* events in a page of 4 KiB; a chunk's first page has one less */
	MAX_RECORD_IMAGES = 16384,
	MAX_RECORD_STARTS = 16384,
	MAX_RECORD_MODULES = 32768,
	RECORD_PATH_BYTES = 480,
	RECORD_NAME_BYTES = 16,
};

/* RECORD_KIND(ID, the name that slabtrace's kind= gets) RESIZE and REALLOC or REALLOCARRAY are the halves of one call: the
 * old object, when the call starts, and the new one, when it ends. EXEC: a program starts; what lived in its process before
 * is gone. EXIT: the process ends. */
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
	RECORD_KIND(EXEC, "")                         \
	RECORD_KIND(EXIT, "")

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
	u64 site;  /* address after the call; above RECORD_KIND_SHIFT its kind */
};

enum { RECORD_THREAD_SHIFT = 40, RECORD_KIND_SHIFT = 48 };

struct record_chunk {
	u32 nr_events; /* written after each event */
	u32 image;     /* whose events these are */
	u32 next;      /* the library's: another chunk that no thread uses, plus 1 */
	u32 room;      /* the library's: events for which there are pages */
	u32 unused[4];
	struct record_event events[RECORD_CHUNK_EVENTS];
};
_Static_assert(sizeof(struct record_chunk) == 32768, "chunks start at whole pages");

/* A program in a process: it starts with exec, or as a copy with fork. */
struct record_image {
	u64 time; /* when it began to record; 0: it is not complete */
	u32 pid;
	u32 parent;    /* the image that it is a copy of, plus 1; 0: exec started it */
	u32 has_ended; /* whether it ended by exit */
	u32 unused;
	char name[RECORD_NAME_BYTES]; /* name of its task */
};

/* A program that a recorded process started. One that loads the library becomes an image with the same pid. */
struct record_start {
	u64 time; /* taken before it was started; 0: it is not complete, or was not started */
	u32 pid;
	char path[116];
};

/* Code that calls: a mapping that may be executed. */
struct record_module {
	u64 start, end; /* addresses; end is written last */
	u64 offset;	/* where it starts in its file */
	u32 image;
	u32 is_program; /* it is the program itself, not a library */
	char path[RECORD_PATH_BYTES];
};

/* Counts may be larger than their tables: whatever did not fit is only counted. */
struct record_head {
	u64 magic;
	u32 pid;		   /* the first process */
	u32 max_chunks, max_pages; /* the file has room for these */
	u32 nr_chunks, nr_pages;   /* started */
	u32 nr_threads, nr_images, nr_starts, nr_modules;
	u32 unused;
	u64 full_at; /* when the file or disk was full, or `record` had stopped listening: later events are left out; 0: never */
	u64 lost;    /* events that were left out */
	struct record_image images[MAX_RECORD_IMAGES];
	struct record_start starts[MAX_RECORD_STARTS];
	struct record_module modules[MAX_RECORD_MODULES];
};

/* Where the first chunk starts. */
#define RECORD_HEAD_BYTES (((u64)sizeof(struct record_head) + 32767) / 32768 * 32768)

#endif
