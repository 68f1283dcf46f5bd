/*
 * workload_process.c - what fork, exec, mmap, open and exit allocate, in the order of recorded
 * traces.
 *
 * Order and counts come from recorded processes. On 6.18.44 these are twenty fork and exec of a
 * small program, and a make of three files. On 6.1.192 they are the forks of hackbench. A fork
 * copies some 10 to 22 areas. Every second area has its own anon_vma, linked by two anon_vma_chain
 * objects. An exec reads a path and the headers of the program and its loader. It drops the copied
 * memory, maps new areas, and opens the libraries. An exit unlinks anon_vmas area by area, then
 * frees the areas, then files. Task, credentials and PID wait for the parent and for a grace
 * period.
 */
#include "workload/workload.h"

static const u8 part_sort[NR_PARTS] = { SORT_TASK,	  SORT_STACK_AREA, SORT_STACK_VM,
					SORT_STACK_PAGES, SORT_CRED,	   SORT_CRED_BLOB,
					SORT_FILES,	  SORT_FD_TABLE,   SORT_FD_ARRAY,
					SORT_FD_BITS,	  SORT_FS,	   SORT_SIGHAND,
					SORT_SIGNAL,	  SORT_MM,	   SORT_PID };

enum {
	NODES_AT_FORK = 6, /* 6.1 allocates them in advance and frees the unused ones */
	AREAS_PER_LIBRARY = 6,
	AREAS_OF_A_PROGRAM = 7,
};

void process_init(struct process *p, struct area *areas, u32 room)
{
	memset(p, 0, sizeof(*p));
	p->areas = areas;
	p->room = room;
}

static void new_part(struct workload *g, struct process *p, enum process_part part, u32 cpu)
{
	p->parts[part] = workload_new(g, part_sort[part], cpu);
}

static void free_part(struct workload *g, struct process *p, enum process_part part, int rcu,
		      u32 cpu)
{
	if (rcu)
		workload_free_rcu(g, part_sort[part], p->parts[part], cpu);
	else
		workload_free(g, part_sort[part], p->parts[part], cpu);
	p->parts[part] = 0;
}

/* Gives the area its own pages: an anon_vma and an anon_vma_chain. */
static void write_to(struct workload *g, struct area *area, u32 cpu)
{
	if (area->anon)
		return;
	area->chain = workload_new(g, SORT_CHAIN, cpu);
	area->anon = workload_new(g, SORT_ANON, cpu);
}

/* Changes the tree: a new node replaces one that readers may still see. */
static void change_tree(struct workload *g, struct process *p, u32 cpu)
{
	u32 n = workload_below(g, PROCESS_NODES);
	object_name old = p->nodes[n];

	p->nodes[n] = workload_new(g, SORT_MAPLE, cpu);
	workload_free_rcu(g, SORT_MAPLE, old, cpu);
}

static struct area *add_area(struct workload *g, struct process *p, u32 cpu)
{
	struct area *area = &p->areas[p->nr_areas];

	if (p->nr_areas == p->room)
		return &p->areas[workload_below(g, p->room)];
	p->nr_areas++;
	*area = (struct area){ .vma = workload_new(g, SORT_VMA, cpu) };
	change_tree(g, p, cpu);
	return area;
}

void process_map(struct workload *g, struct process *p, u32 cpu)
{
	struct area *area = add_area(g, p, cpu);

	if (workload_chance(g, 50))
		write_to(g, area, cpu);
}

void process_split(struct workload *g, struct process *p, u32 cpu)
{
	struct area *area = &p->areas[workload_below(g, p->nr_areas)];

	if (!p->nr_areas)
		return;
	object_name copy = workload_new(g, SORT_VMA_COPY, cpu);
	change_tree(g, p, cpu);
	object_name second = workload_new(g, SORT_VMA_COPY, cpu);
	change_tree(g, p, cpu);
	workload_free(g, SORT_VMA_COPY, area->vma, cpu);
	area->vma = workload_new(g, SORT_VMA, cpu);
	change_tree(g, p, cpu);
	workload_free(g, SORT_VMA_COPY, copy, cpu);
	workload_free(g, SORT_VMA_COPY, second, cpu);
}

static void copy_memory(struct workload *g, const struct process *parent, struct process *child,
			u32 cpu)
{
	object_name ahead[NODES_AT_FORK];
	u32 nr_ahead = g->kernel ? 0 : NODES_AT_FORK;

	for (u32 i = 0; i < nr_ahead; i++)
		ahead[i] = workload_new(g, SORT_MAPLE, cpu);
	child->nr_areas = MIN(parent->nr_areas, child->room);
	for (u32 i = 0; i < child->nr_areas; i++) {
		struct area *area = &child->areas[i];
		*area = (struct area){ .vma = workload_new(g, SORT_VMA_COPY, cpu) };
		if (!parent->areas[i].anon)
			continue;
		area->fork_chain = workload_new(g, SORT_CHAIN, cpu);
		area->anon = workload_new(g, SORT_ANON, cpu);
		area->chain = workload_new(g, SORT_CHAIN, cpu);
	}
	for (u32 i = 0; i < nr_ahead; i++)
		workload_free(g, SORT_MAPLE, ahead[i], cpu);
	change_tree(g, child, cpu);
}

void process_fork(struct workload *g, const struct process *parent, struct process *child,
		  int vfork, u32 cpu)
{
	for (u32 part = 0; part < NR_PARTS; part++) {
		if (part == PART_MM && vfork)
			continue;
		new_part(g, child, (enum process_part)part, cpu);
		if (part == PART_MM)
			copy_memory(g, parent, child, cpu);
	}
}

static void drop_memory(struct workload *g, struct process *p, u32 cpu)
{
	for (u32 i = 0; i < p->nr_areas; i++) {
		struct area *area = &p->areas[i];
		workload_free(g, SORT_CHAIN, area->fork_chain, cpu);
		workload_free(g, SORT_CHAIN, area->chain, cpu);
		workload_free(g, SORT_ANON, area->anon, cpu);
	}
	for (u32 i = 0; i < p->nr_areas; i++)
		workload_free(g, SORT_VMA, p->areas[i].vma, cpu);
	for (u32 i = 0; i < PROCESS_NODES; i++) {
		workload_free(g, SORT_MAPLE, p->nodes[i], cpu);
		p->nodes[i] = 0;
	}
	p->nr_areas = 0;
	free_part(g, p, PART_MM, 0, cpu);
}

/* Paths and files */

void process_lookup(struct workload *g, u32 cpu)
{
	workload_free(g, SORT_NAME, workload_new(g, SORT_NAME, cpu), cpu);
}

static void close_file(struct workload *g, object_name file, object_name blob, u32 cpu)
{
	workload_free(g, SORT_FILE_BLOB, blob, cpu);
	if (g->kernel)
		workload_free(g, SORT_FILE, file, cpu);
	else
		workload_free_rcu(g, SORT_FILE, file, cpu);
}

void process_open_nothing(struct workload *g, u32 cpu)
{
	object_name name = workload_new(g, SORT_NAME, cpu), file = workload_new(g, SORT_FILE, cpu);

	close_file(g, file, workload_new(g, SORT_FILE_BLOB, cpu), cpu);
	workload_free(g, SORT_NAME, name, cpu);
}

void process_read_file(struct workload *g, u32 lookups, u32 cpu)
{
	object_name name = workload_new(g, SORT_NAME, cpu), file = workload_new(g, SORT_FILE, cpu);
	object_name blob = workload_new(g, SORT_FILE_BLOB, cpu);

	workload_free(g, SORT_NAME, name, cpu);
	for (u32 i = 0; i < lookups; i++)
		process_lookup(g, cpu);
	close_file(g, file, blob, cpu);
}

void process_open(struct workload *g, struct process *p, u32 cpu)
{
	u32 n = p->nr_files < MAX_OPEN ? p->nr_files++ : workload_below(g, MAX_OPEN);
	object_name name = workload_new(g, SORT_NAME, cpu);

	if (p->file[n])
		close_file(g, p->file[n], p->blob[n], cpu);
	p->file[n] = workload_new(g, SORT_FILE, cpu);
	p->blob[n] = workload_new(g, SORT_FILE_BLOB, cpu);
	workload_free(g, SORT_NAME, name, cpu);
}

void process_create_file(struct workload *g, u32 buffers, u32 cpu)
{
	object_name name = workload_new(g, SORT_NAME, cpu);

	workload_new(g, SORT_DENTRY, cpu);
	workload_new(g, SORT_INODE, cpu);
	workload_new(g, SORT_INODE_BLOB, cpu);
	workload_free(g, SORT_NAME, name, cpu);
	for (u32 i = 0; i < buffers; i++) {
		workload_new(g, SORT_BUFFER, cpu);
		workload_free(g, SORT_BIO, workload_new(g, SORT_BIO, cpu), cpu);
		if (i % 4 == 0)
			workload_new(g, SORT_EXTENT, cpu);
	}
}

static void close_all(struct workload *g, struct process *p, u32 cpu)
{
	for (u32 i = 0; i < p->nr_files; i++) {
		close_file(g, p->file[i], p->blob[i], cpu);
		p->file[i] = p->blob[i] = 0;
	}
	p->nr_files = 0;
}

/* exec */

static void map_library(struct workload *g, struct process *p, u32 cpu)
{
	object_name name = workload_new(g, SORT_NAME, cpu), file = workload_new(g, SORT_FILE, cpu);
	object_name blob = workload_new(g, SORT_FILE_BLOB, cpu);

	workload_free(g, SORT_NAME, name, cpu);
	add_area(g, p, cpu);
	process_split(g, p, cpu);
	process_map(g, p, cpu);
	close_file(g, file, blob, cpu);
}

/* Replaces the memory, and reads the headers of the program and its loader. */
static void load_program(struct workload *g, struct process *p, u32 cpu)
{
	object_name headers = workload_new(g, SORT_PROGRAM_HEADERS, cpu);
	object_name loader = workload_new(g, SORT_LOADER_NAME, cpu);

	process_open_nothing(g, cpu);
	workload_free(g, SORT_LOADER_NAME, loader, cpu);
	loader = workload_new(g, SORT_LOADER_HEADER, cpu);
	object_name loader_headers = workload_new(g, SORT_LOADER_HEADERS, cpu);
	drop_memory(g, p, cpu);
	new_part(g, p, PART_MM, cpu);
	for (u32 i = 0; i < AREAS_OF_A_PROGRAM; i++)
		process_map(g, p, cpu);
	workload_free(g, SORT_LOADER_HEADER, loader, cpu);
	workload_free(g, SORT_LOADER_HEADERS, loader_headers, cpu);
	workload_free(g, SORT_PROGRAM_HEADERS, headers, cpu);
}

void process_exec(struct workload *g, struct process *p, u32 areas, u32 cpu)
{
	object_name name = workload_new(g, SORT_NAME, cpu), file = workload_new(g, SORT_FILE, cpu);
	object_name blob = workload_new(g, SORT_FILE_BLOB, cpu);
	object_name program = workload_new(g, SORT_PROGRAM, cpu);

	free_part(g, p, PART_CRED, 1, cpu);
	free_part(g, p, PART_CRED_BLOB, 1, cpu);
	new_part(g, p, PART_CRED, cpu);
	new_part(g, p, PART_CRED_BLOB, cpu);
	load_program(g, p, cpu);
	workload_free(g, SORT_PROGRAM, program, cpu);
	workload_free(g, SORT_NAME, name, cpu);
	process_lookup(g, cpu);
	while (p->nr_areas + AREAS_PER_LIBRARY < areas && p->nr_areas + 2 < p->room) {
		map_library(g, p, cpu);
		for (u32 i = 2; i < AREAS_PER_LIBRARY; i++)
			process_map(g, p, cpu);
	}
	close_file(g, file, blob, cpu);
}

void process_exit(struct workload *g, struct process *p, u32 cpu, u32 parent_cpu)
{
	static const u8 own[] = { PART_FD_ARRAY, PART_FD_BITS, PART_FD_TABLE, PART_FILES, PART_FS };
	static const u8 waited_for[] = {
		PART_SIGNAL,	 PART_CRED,	PART_CRED_BLOB,	  PART_PID,
		PART_STACK_AREA, PART_STACK_VM, PART_STACK_PAGES, PART_TASK
	};

	drop_memory(g, p, cpu);
	for (u32 i = 0; i < ARRAY_SIZE(own); i++)
		free_part(g, p, (enum process_part)own[i], 0, cpu);
	close_all(g, p, cpu);
	free_part(g, p, PART_SIGHAND, 0, parent_cpu);
	for (u32 i = 0; i < ARRAY_SIZE(waited_for); i++)
		free_part(g, p, (enum process_part)waited_for[i], 1, parent_cpu);
}
