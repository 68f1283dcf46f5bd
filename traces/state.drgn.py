#!/usr/bin/env drgn
"""state.drgn.py - writes the SLUB caches of a live kernel or of a vmcore: as the files of /sys/kernel/slab, or slab by slab.

    drgn traces/state.drgn.py > slab.txt
    slabscope replay trace.txt --warm slab.txt

    drgn traces/state.drgn.py --slabs > start.state      (at the end of the run: --slabs --stop)
    slabscope replay trace.txt --start start.state

It reads kernels from 5.17 to 6.17, whose CPUs have cpu slabs. Unlike sysfs it counts the free objects on per-CPU partial lists.
With --slabs it reads each cache again until two readings are equal, because a live kernel goes on. docs/command/check.md has the lines.
"""
import sys

from drgn.helpers.linux.cpumask import for_each_online_cpu
from drgn.helpers.linux.list import list_for_each_entry
from drgn.helpers.linux.nodemask import for_each_online_node
from drgn.helpers.linux.percpu import per_cpu_ptr


def with_parts(letter, parts):
    """Formats a number as sysfs does: the total, then the parts that are not 0."""
    shown = [f"{letter}{number}={part}" for number, part in parts.items() if part]
    return " ".join([str(sum(parts.values()))] + shown)


def slabs_of_chain(slab):
    """Yields the slabs of a per-CPU partial list."""
    while slab:
        yield slab
        slab = slab.next


def node_of(slab):
    """Returns the node of a slab's memory, from the flags of its page."""
    from drgn import cast
    from drgn.helpers.linux.mm import page_to_nid

    return page_to_nid(cast("struct page *", slab))


def node_files(cache, nodes):
    """Counts slabs and objects of each node's list."""
    slabs, total, partial, in_partial, free = {}, {}, {}, {}, {}
    for node in nodes:
        list_of = cache.node[node]
        slabs[node] = int(list_of.nr_slabs.counter)
        total[node] = int(list_of.total_objects.counter)
        partial[node] = int(list_of.nr_partial)
        in_partial[node] = free[node] = 0
        for slab in list_for_each_entry("struct slab", list_of.partial.address_of_(), "slab_list"):
            in_partial[node] += int(slab.inuse)
            free[node] += int(slab.objects) - int(slab.inuse)
    active = {node: total[node] - free[node] for node in nodes}
    return {
        "slabs": with_parts("N", slabs),
        "total_objects": with_parts("N", total),
        "objects": with_parts("N", active),
        "partial": with_parts("N", partial),
        "objects_partial": with_parts("N", in_partial),
    }


def cpu_files(cache, cpus, nodes):
    """Counts the slabs that CPUs hold: cpu slabs, and those of their partial lists with their free objects."""
    held = {node: 0 for node in nodes}
    chains = {}
    for cpu in cpus:
        mine = per_cpu_ptr(cache.cpu_slab, cpu)
        chain = list(slabs_of_chain(mine.partial))
        free = sum(int(slab.objects) - int(slab.inuse) for slab in chain)
        chains[cpu] = (free, len(chain))
        for slab in chain + ([mine.slab] if mine.slab else []):
            held[node_of(slab)] += 1
    parts = [f"C{cpu}={free}({slabs})" for cpu, (free, slabs) in chains.items() if slabs]
    free = sum(free for free, _ in chains.values())
    slabs = sum(slabs for _, slabs in chains.values())
    return {
        "cpu_slabs": with_parts("N", held),
        "slabs_cpu_partial": " ".join([f"{free}({slabs})"] + parts),
    }


def files_of(cache, cpus, nodes):
    """Returns the files of one cache, by name."""
    packed = int(cache.oo.x)
    return {
        "aliases": int(cache.refcount) - 1,
        "object_size": int(cache.object_size),
        "slab_size": int(cache.size),
        "align": int(cache.align),
        "order": packed >> 16,
        "objs_per_slab": packed & 0xFFFF,
        "min_partial": int(cache.min_partial),
        "cpu_partial": int(cache.cpu_partial),
        **node_files(cache, nodes),
        **cpu_files(cache, cpus, nodes),
    }


def swapped(number):
    """Reverses the eight bytes of an address, as CONFIG_SLAB_FREELIST_HARDENED does."""
    return int.from_bytes(number.to_bytes(8, "little"), "big")


def freelist(prog, cache, base, first, most):
    """Returns the indices of a freelist in the order in which objects are taken; first is the address of its head."""
    indices, at, secret = [], int(first), getattr(cache, "random", None)
    size, offset = int(cache.size), int(cache.offset)
    while at and len(indices) <= most:
        indices.append((at - base) // size)
        stored = prog.read_u64(at + offset)
        at = stored if secret is None else stored ^ int(secret) ^ swapped(at + offset)
    return indices


def address_of(slab):
    """Returns the address of a slab's first object."""
    from drgn import cast
    from drgn.helpers.linux.mm import page_to_virt

    return int(page_to_virt(cast("struct page *", slab)))


def line(letter, cache, which, fields):
    """Returns a line of a state: its letter, the cache, a CPU, a node or an address, then each field as key=value."""
    values = {key: ",".join(map(str, value)) if isinstance(value, list) else value for key, value in fields.items()}
    name = cache.name.string_().decode().replace(" ", "_")
    return " ".join([letter, name, *([str(which)] if which != "" else []), *(f"{key}={values[key]}" for key in fields)])


def slab_line(prog, cache, slab, order):
    base, objects = address_of(slab), int(slab.objects)
    fields = {
        "nid": node_of(slab),
        "order": order,
        "objects": objects,
        "inuse": int(slab.inuse),
        "frozen": int(slab.frozen),
        "free": freelist(prog, cache, base, slab.freelist, objects),
    }
    return line("L", cache, f"{base:x}", fields)


def cpu_lines(prog, cache, cpu):
    mine = per_cpu_ptr(cache.cpu_slab, cpu)
    base = address_of(mine.slab) if mine.slab else 0
    free = freelist(prog, cache, base, mine.freelist, int(mine.slab.objects)) if base else []
    partial = [f"{address_of(slab):x}" for slab in slabs_of_chain(mine.partial)]
    stat = getattr(mine, "stat", None)
    if stat is not None:
        yield line("T", cache, " ".join(str(int(number)) for number in [cpu, *list(stat)[:26]]), {})
    yield line("P", cache, cpu, {"slab": f"{base:x}", "free": free, "nfree": len(free), "partial": partial})


def node_line(cache, node):
    partial = cache.node[node].partial.address_of_()
    on_list = [f"{address_of(slab):x}" for slab in list_for_each_entry("struct slab", partial, "slab_list")]
    return line("N", cache, node, {"nr_partial": len(on_list), "partial": on_list})


def all_slabs(prog):
    """Finds every slab by its page, because full slabs are on no list; returns the slabs of each cache's address."""
    from drgn import FaultError, cast
    from drgn.helpers.linux.mm import PageSlab, compound_head, for_each_page

    slabs = {}
    for page in for_each_page(prog):
        try:
            head = compound_head(page)
            if not PageSlab(head):
                continue
        except FaultError:  # a hole of the memory map
            continue
        slab = cast("struct slab *", head)
        slabs.setdefault(int(slab.slab_cache), {})[address_of(slab)] = slab
    return slabs


def order_of(slab):
    from drgn import cast
    from drgn.helpers.linux.mm import compound_order

    return int(compound_order(cast("struct page *", slab)))


def slabs_now(cache, known, cpus, nodes):
    """Returns the cache's slabs: those found by their pages and still its own, and those that lists have by now."""
    listed = []
    for cpu in cpus:
        mine = per_cpu_ptr(cache.cpu_slab, cpu)
        listed += list(slabs_of_chain(mine.partial)) + ([mine.slab] if mine.slab else [])
    for node in nodes:
        listed += list_for_each_entry("struct slab", cache.node[node].partial.address_of_(), "slab_list")
    kept = {at: slab for at, slab in known.items() if int(slab.slab_cache) == int(cache)}
    kept.update((address_of(slab), slab) for slab in listed)
    return [kept[at] for at in sorted(kept)]


def cache_state(prog, cache, known, cpus, nodes):
    """Returns the lines of one cache: its numbers, then its lists."""
    packed, least = int(cache.oo.x), int(cache.min.x)
    numbers = {
        "size": int(cache.size),
        "object_size": int(cache.object_size),
        "order": packed >> 16,
        "objs": packed & 0xFFFF,
        "min_objs": least & 0xFFFF,
        "min_partial": int(cache.min_partial),
        "cpu_partial": int(getattr(cache, "cpu_partial", 0)),
        "cpu_partial_slabs": int(getattr(cache, "cpu_partial_slabs", 0)),
        "defrag": int(getattr(cache, "remote_node_defrag_ratio", 1000)),
        "sheaf_capacity": int(getattr(cache, "sheaf_capacity", 0)),
        "flags": f"{int(cache.flags):x}",
    }
    return [
        line("C", cache, "", numbers),
        *(text for cpu in cpus for text in cpu_lines(prog, cache, cpu)),
        *(node_line(cache, node) for node in nodes),
        *(slab_line(prog, cache, slab, order_of(slab)) for slab in slabs_now(cache, known, cpus, nodes)),
    ]


MOST_READINGS = 8


def steady(read):
    """Reads until two readings are equal; warns if a live kernel does not let them be."""
    from drgn import FaultError

    before = now = None
    for _ in range(MOST_READINGS):
        try:
            now = read()
        except FaultError:  # a pointer that the kernel was changing
            continue
        if now == before:
            return now
        before = now
    if before is None:
        sys.exit("state.drgn.py: a freelist could not be read; try again, or read a vmcore")
    print(f"state.drgn.py: {before[0].split()[1]} changed while it was read", file=sys.stderr)
    return before


def write_slabs(prog, caches, cpus, nodes, edge):
    slabs = all_slabs(prog)
    print("V 1", edge)
    for cache in caches:
        if getattr(cache, "cpu_slab", None) is None:
            sys.exit("state.drgn.py: this kernel's SLUB has no cpu slabs; it can be read up to Linux 6.17")
        mine = slabs.get(int(cache), {})
        print("\n".join(steady(lambda: cache_state(prog, cache, mine, cpus, nodes))))
    print("E complete")


def main(prog):
    cpus, nodes = list(for_each_online_cpu(prog)), list(for_each_online_node(prog))
    head = prog["slab_caches"].address_of_()
    caches = list(list_for_each_entry("struct kmem_cache", head, "list"))
    if "--slabs" in sys.argv:
        write_slabs(prog, caches, cpus, nodes, "stop" if "--stop" in sys.argv else "start")
        return
    for cache in caches:
        name = cache.name.string_().decode()
        for key, value in files_of(cache, cpus, nodes).items():
            print(f"/sys/kernel/slab/{name}/{key}:{value}")


if __name__ == "__main__":
    main(prog)  # noqa: F821: drgn defines it
