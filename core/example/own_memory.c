/* own_memory.c - an object of kmalloc from SLUB of Linux 7.2, on memory of this program. */
#include <kmem.h>
#include <stdio.h>
#include <string.h>

static _Alignas(KMEM_REGION_ALIGN_BYTES) char region[256 << 20]; /* the allocator's own data */
static _Alignas(4096) char memory[72 << 20]; /* 64 MiB of page frames, and an eighth */

int main(void)
{
	struct kmem_session *s = kmem_open(region, sizeof(region));
	uint32_t slab, index;

	if (kmem_preset(s, "linux-7.2") || kmem_set(s, "memory", "64M") ||
	    kmem_set(s, "cpus", "4") || kmem_attach(s, memory, sizeof(memory)))
		return puts(kmem_error(s)), 1;
	char *p = kmem_alloc(s, KMEM_ANY, 100, 16, 2); /* 100 bytes on CPU 2 */
	strcpy(p, "hello");
	kmem_pointed(s, p, &slab, &index);
	printf("%s: object %u of slab %u, %u bytes\n", p, index, slab, kmem_usable(s, p));
	kmem_free(s, p, 2);
	return kmem_check(s);
}
