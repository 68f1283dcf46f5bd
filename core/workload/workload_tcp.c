/*
 * workload_tcp.c - sockets, segments and acknowledgements of TCP over loopback.
 *
 * Recorded on 6.18.44 (a ping-pong of 16 connections, fio's netio job) and on 6.1. A segment is an
 * object of skbuff_fclone_cache with its clone inside, and its headers (skbuff_small_head; before
 * 6.3 kmalloc of 704 bytes). The sender keeps it until it is acknowledged. That happens in the
 * softirq of the CPU that sends the acknowledgement.
 */
#include "workload/workload_tcp.h"

enum { HANDSHAKE_SEGMENTS = 5 };

static const u8 part_sorts[CONNECTION_PARTS] = { SORT_SOCKET,	 SORT_SOCKET_BLOB, SORT_TCP,
						 SORT_FILE,	 SORT_FILE_BLOB,   SORT_DENTRY,
						 SORT_POLL_ITEM, SORT_SOCKET,	   SORT_SOCKET_BLOB,
						 SORT_TCP,	 SORT_FILE,	   SORT_FILE_BLOB,
						 SORT_DENTRY,	 SORT_POLL_ITEM };

static object_name new_headers(struct workload *g, u32 cpu)
{
	return workload_new(g, g->kernel ? SORT_SKB_SMALL : SORT_SKB_HEAD, cpu);
}

static void free_headers(struct workload *g, object_name headers, u32 cpu)
{
	workload_free(g, g->kernel ? SORT_SKB_SMALL : SORT_SKB_HEAD, headers, cpu);
}

void connection_open(struct workload *g, struct connection *c, u32 client_cpu, u32 server_cpu)
{
	for (u32 i = 0; i < CONNECTION_PARTS / 2; i++)
		c->parts[i] = workload_new(g, part_sorts[i], client_cpu);
	object_name request = workload_new(g, SORT_REQUEST, client_cpu);
	for (u32 i = 0; i < HANDSHAKE_SEGMENTS; i++)
		segment_acknowledge(g, 1, client_cpu);
	for (u32 i = CONNECTION_PARTS / 2; i < CONNECTION_PARTS; i++)
		c->parts[i] = workload_new(g, part_sorts[i], server_cpu);
	workload_free(g, SORT_REQUEST, request, server_cpu);
}

void connection_close(struct workload *g, struct connection *c, u32 cpu)
{
	object_name waiting = workload_new(g, SORT_TIME_WAIT, cpu);

	for (u32 i = CONNECTION_PARTS; i-- > 0;) {
		/* Readers access socket inodes and their pollers without locks, so RCU frees
		 * them. */
		if (part_sorts[i] == SORT_SOCKET || part_sorts[i] == SORT_SOCKET_BLOB ||
		    part_sorts[i] == SORT_POLL_ITEM)
			workload_free_rcu(g, part_sorts[i], c->parts[i], cpu);
		else
			workload_free(g, part_sorts[i], c->parts[i], cpu);
	}
	workload_free_rcu(g, SORT_TIME_WAIT, waiting, cpu);
}

void segment_send(struct workload *g, struct segment *s, u32 bytes, u32 cpu)
{
	s->pair = workload_new(g, SORT_SKB_PAIR, cpu);
	s->is_payload = bytes != 0;
	if (bytes)
		s->data = workload_new_bytes(g, SORT_PAYLOAD, bytes, cpu);
	else
		s->data = new_headers(g, cpu);
}

void segment_free(struct workload *g, struct segment *s, u32 cpu)
{
	if (s->is_payload)
		workload_free(g, SORT_PAYLOAD, s->data, cpu);
	else
		free_headers(g, s->data, cpu);
	workload_free(g, SORT_SKB_PAIR, s->pair, cpu);
	*s = (struct segment){ 0 };
}

void segment_acknowledge(struct workload *g, u32 nr, u32 cpu)
{
	object_name head[2], headers[2];

	for (u32 i = 0; i < nr; i++) {
		head[i] = workload_new(g, SORT_SKB, cpu);
		headers[i] = new_headers(g, cpu);
	}
	for (u32 i = 0; i < nr; i++) {
		free_headers(g, headers[i], cpu);
		workload_free(g, SORT_SKB, head[i], cpu);
	}
}
