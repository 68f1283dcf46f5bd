/*
 * inflate.h - unpacks zlib (RFC 1950, 1951) whose unpacked size is known: how trace.dat is packed where trace-cmd was
 * built without zstd. Nothing is read or written outside the two ranges.
 */
#ifndef PLAY_INFLATE_H
#define PLAY_INFLATE_H

#include "../base/types.h"

/* 1 if it unpacks to exactly out_bytes. The checksum at its end is not looked at. */
int zlib_unpack(const u8 *in, u64 in_bytes, u8 *out, u64 out_bytes);

#endif
