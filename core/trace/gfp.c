/*
 * gfp.c - derives the kind of kmalloc cache and the zones from allocation flags, and the class from
 * the size.
 *
 * Flags may be names ("GFP_KERNEL|__GFP_ACCOUNT", without the underscores before 4.6) or a number
 * (raw reports). They may also be missing (6.1 with unhashed pointers); `accounted=` then still
 * gives one of them.
 */
#include "sim/cache.h"
#include "trace/gfp.h"
#include "util/scan.h"

/* Bits of gfp_t that have not moved in 5.x and 6.x, and those of 2.6, which prints eight bare hex
 * digits. */
enum {
	GFP_DMA_BIT = 0x01,
	GFP_DMA32_BIT = 0x04,
	GFP_RECLAIMABLE_BIT = 0x10,
	GFP_ACCOUNT_BIT = 0x400000,
	GFP_RECLAIMABLE_BIT_2_6 = 0x80000,
};

static u32 type_of(int dma, int reclaimable, int account)
{
	if (dma)
		return KMALLOC_DMA;
	if (reclaimable)
		return KMALLOC_RECLAIM;
	return account ? KMALLOC_CGROUP : KMALLOC_NORMAL;
}

/* Reads 0xcc0, 3264, or 000000d0, the form of 2.6.31, which sets *old. 0 if the flags are not a
 * number. */
static int read_number(const char *gfp, u64 *value, int *old)
{
	u32 base = 10, n = 0, hex = gfp[0] == '0' && gfp[1] == 'x';

	*value = 0;
	while (gfp[n])
		n++;
	*old = n == 8 && !hex;
	if (hex || *old)
		base = 16;
	for (u32 i = hex ? 2 : 0; i < n; i++) {
		u32 digit = hex_digit((u8)gfp[i]);
		if (digit >= base || *value >> 40)
			return 0;
		*value = *value * base + digit;
	}
	return n > 0;
}

static int numeric_type(const char *gfp, u32 *type)
{
	u64 value;
	int old;

	if (!read_number(gfp, &value, &old))
		return 0;
	*type = old ? type_of(value & GFP_DMA_BIT, (value & GFP_RECLAIMABLE_BIT_2_6) != 0, 0)
		    : type_of(value & GFP_DMA_BIT, value & GFP_RECLAIMABLE_BIT,
			      (value & GFP_ACCOUNT_BIT) != 0);
	return 1;
}

u32 gfp_zone_of(const char *gfp)
{
	const u8 *at = (const u8 *)gfp, *end;
	u64 value;
	int old;

	if (read_number(gfp, &value, &old))
		return value & GFP_DMA_BIT     ? ZONE_DMA
		       : value & GFP_DMA32_BIT ? ZONE_DMA32
					       : ZONE_NORMAL;
	u32 zone = ZONE_NORMAL;
	for (; *at; at = *end ? end + 1 : end) {
		for (end = at; *end && *end != '|'; end++)
			;
		const u8 *name = span_begins(at, end, "__") ? at + 2 : at;
		if (span_is(name, end, "GFP_DMA"))
			zone = ZONE_DMA;
		else if (span_is(name, end, "GFP_DMA32"))
			zone = MIN(zone, (u32)ZONE_DMA32);
	}
	return zone;
}

u32 kmalloc_type_of(const char *gfp, u32 accounted)
{
	const u8 *at = (const u8 *)gfp, *end;
	int dma = 0, reclaimable = 0, account = !gfp[0] && accounted;
	u32 type;

	if (numeric_type(gfp, &type))
		return type;
	while (*at) {
		for (end = at; *end && *end != '|'; end++)
			;
		const u8 *name = span_begins(at, end, "__") ? at + 2 : at;
		dma |= span_is(name, end, "GFP_DMA");
		reclaimable |= span_is(name, end, "GFP_RECLAIMABLE");
		account |= span_is(name, end, "GFP_ACCOUNT") ||
			   span_is(name, end, "GFP_KERNEL_ACCOUNT");
		at = *end ? end + 1 : end;
	}
	return type_of(dma, reclaimable, account);
}

u32 kmalloc_slot(u32 bytes)
{
	u32 slot = bytes ? 8 : 0;

	if (bytes > 64 && bytes <= 96)
		return 96;
	if (bytes > 128 && bytes <= 192)
		return 192;
	while (slot < bytes)
		slot *= 2;
	return slot;
}

u32 kmem_kmalloc_slot(u32 bytes)
{
	return kmalloc_slot(bytes);
}
