// own_memory.cpp - a map of the standard library whose nodes are objects of SLAB's kmalloc caches.
#include <kmem.h>

#include <cstdio>
#include <map>

alignas(KMEM_REGION_ALIGN_BYTES) static char region[256 << 20]; // the allocator's own data
alignas(4096) static char memory[72 << 20];			 // 64 MiB of page frames, and an eighth
static kmem_session *const s = kmem_open(region, sizeof(region));

template <class T> struct on_slab {
	using value_type = T;
	on_slab() = default;
	template <class U> on_slab(const on_slab<U> &) {}
	T *allocate(std::size_t n) { return (T *)kmem_alloc(s, KMEM_ANY, n * sizeof(T), alignof(T), 0); }
	void deallocate(T *p, std::size_t) { kmem_free(s, p, 0); }
	template <class U> bool operator==(const on_slab<U> &) const { return true; }
	template <class U> bool operator!=(const on_slab<U> &) const { return false; }
};

int main()
{
	if (kmem_set_spec(s, "slab,memory=64M") || kmem_attach(s, memory, sizeof(memory)))
		return std::puts(kmem_error(s)), 1;
	std::map<int, int, std::less<int>, on_slab<std::pair<const int, int>>> squares;
	for (int i = 0; i < 1000; i++)
		squares[i] = i * i;
	std::printf("%d in %u slabs\n", squares[999], kmem_totals(s)->slabs);
	return kmem_check(s);
}
