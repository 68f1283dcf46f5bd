/*
 * workload_tcp.h - what a TCP connection over loopback allocates, for the shapes that use one.
 */
#ifndef WORKLOAD_WORKLOAD_TCP_H
#define WORKLOAD_WORKLOAD_TCP_H

#include "workload/workload_process.h"

enum { CONNECTION_PARTS = 14 };

/* Both ends, with the objects that poll them. */
struct connection {
	object_name parts[CONNECTION_PARTS];
};

/* A sent segment: its two heads in one object, and the object with its data or headers. */
struct segment {
	object_name pair, data;
	u32 is_payload;
};

/* connect and accept, with the segments of the handshake. */
void connection_open(struct workload *g, struct connection *c, u32 client_cpu, u32 server_cpu);
void connection_close(struct workload *g, struct connection *c, u32 cpu);
/* bytes 0: headers only, the data are in page fragments. */
void segment_send(struct workload *g, struct segment *s, u32 bytes, u32 cpu);
/* Frees a segment after the other side has acknowledged it. */
void segment_free(struct workload *g, struct segment *s, u32 cpu);
/* Sends one or two acknowledgements without data. Loopback delivers them on the same CPU. The
 * second may be sent before the first has arrived. */
void segment_acknowledge(struct workload *g, u32 nr, u32 cpu);

#endif
