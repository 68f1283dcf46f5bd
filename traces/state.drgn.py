#!/usr/bin/env drgn
"""state.drgn.py - writes the SLUB caches of a live kernel or of a vmcore as the files of /sys/kernel/slab.

    drgn traces/state.drgn.py > slab.txt
    slabscope replay trace.txt --warm slab.txt

It reads kernels from 5.17 to 6.17, whose CPUs have cpu slabs. Unlike sysfs it counts the free objects on per-CPU partial lists.
"""
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


def main(prog):
    cpus, nodes = list(for_each_online_cpu(prog)), list(for_each_online_node(prog))
    caches = prog["slab_caches"].address_of_()
    for cache in list_for_each_entry("struct kmem_cache", caches, "list"):
        name = cache.name.string_().decode()
        for key, value in files_of(cache, cpus, nodes).items():
            print(f"/sys/kernel/slab/{name}/{key}:{value}")


if __name__ == "__main__":
    main(prog)  # noqa: F821: drgn defines it
