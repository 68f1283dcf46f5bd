/*
 * deflate_test.c - packed pieces unpack to the same bytes, and take no more room than promised.
 */
#include "codec/deflate.h"
#include "test/support/check.h"

#include <string.h>

enum { PIECE = 4096, PIECES = 3 };

static u8 plain[PIECES * PIECE], packed[PIECES * DEFLATE_ROOM_BYTES(PIECE)];
static u8 back[PIECES * PIECE + 1 + INFLATE_LONGEST_MATCH];

/* Packs in pieces of those lengths and unpacks all; returns the packed bytes. */
static u32 round_trip(const u32 *lens)
{
	static struct deflate z;
	static struct inflate in;
	u32 len = 0, all = 0;

	for (u32 i = 0; i < PIECES; i++) {
		u32 more = deflate_piece(&z, packed + len, plain + all, lens[i], i + 1 == PIECES);
		CHECK(more <= DEFLATE_ROOM_BYTES(lens[i]), "%u of %u", more, lens[i]);
		len += more;
		all += lens[i];
	}
	inflate_begin(&in);
	in.in = packed;
	in.end = packed + len;
	in.is_last = 1;
	in.out = back;
	in.out_bytes = 0;
	in.out_room = sizeof(back);
	in.out_stop = sizeof(plain) + 1;
	inflate_run(&in);
	CHECK(in.at == INFLATE_END, "%u", in.at);
	CHECK(in.out_bytes == all && memcmp(back, plain, all) == 0, "%u", (u32)in.out_bytes);
	return len;
}

static void any_data_inflates_to_what_was_deflated(void)
{
	static const u32 lens[][PIECES] = { { 0, 0, 0 },
					    { 1, 2, 3 },
					    { PIECE, 0, 7 },
					    { 258, 259, 1000 },
					    { PIECE, PIECE, PIECE } };
	u32 random = 7;

	for (u32 kind = 0; kind < 4; kind++) {
		for (u32 i = 0; i < sizeof(plain); i++) {
			random = random * 1664525 + 1013904223;
			u8 any = (u8)(random >> 24);
			plain[i] = kind == 0   ? any
				   : kind == 1 ? 0
				   : kind == 2 ? (u8)(any & 3)
					       : (u8)i;
		}
		for (u32 i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
			round_trip(lens[i]);
	}
}

static void repeated_bytes_compress_well(void)
{
	static const u32 lens[] = { PIECE, PIECE, PIECE };

	memset(plain, 'a', sizeof(plain));
	CHECK(round_trip(lens) < sizeof(plain) / 50);
}

int main(void)
{
	RUN(any_data_inflates_to_what_was_deflated());
	RUN(repeated_bytes_compress_well());
	return check_summary();
}
