#!/bin/sh
# record.sh - records every slab allocation and free of the machine while a command runs, and its caches before and after.
#
#	traces/record.sh [-o FOLDER] [-b KIB] [-p] -- COMMAND [ARGUMENT...]
#
# Leaves in FOLDER (slabscope-WORKLOAD-DATE): WORKLOAD.trace.txt.gz, slab-before.txt and slab-after.txt, kernel.txt and
# kallsyms.txt.gz. WORKLOAD is the command, in letters, digits and dashes. -b: buffer for each CPU; -p: page events as well. Uses
# an instance of tracefs of its own, so that other tracing goes on, and puts everything back at the end. TRACEFS: where it is.

say() { echo "record.sh: $*" >&2; }
die() { say "$@"; exit 2; }

usage="usage: record.sh [-o FOLDER] [-b KIB] [-p] -- COMMAND [ARGUMENT...]"
case $1 in
-h | --help | help)
	echo "$usage"
	echo "Records every slab allocation and free while the command runs. -o: where to (slabscope-WORKLOAD-DATE here);"
	echo "-b: KiB of buffer for each CPU; -p: page events as well. See docs/recording.md."
	exit 0
	;;
esac
folder= kib= pages=
while getopts o:b:p option; do
	case $option in
	o) folder=$OPTARG ;;
	b) kib=$OPTARG ;;
	p) pages="mm_page_alloc mm_page_free" ;;
	*) die "$usage" ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || die "$usage"
case $kib in *[!0-9]*) die "-b takes a number of KiB, not \`$kib\`" ;; esac

[ "$(id -u)" = 0 ] || die "tracing needs root: sudo $0 ..."
[ "$(uname -s)" = Linux ] || die "this is not Linux: record on the machine whose kernel you want to see"

# Where tracefs is, mounted if need be.
tracefs= mounted=
for at in ${TRACEFS:-/sys/kernel/tracing /sys/kernel/debug/tracing}; do
	[ -e $at/events ] && tracefs=$at && break
done
if [ -z "$tracefs" ]; then
	if [ -d /sys/kernel/tracing ] && mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null; then
		tracefs=/sys/kernel/tracing mounted=/sys/kernel/tracing
	elif mount -t debugfs nodev /sys/kernel/debug 2>/dev/null && [ -d /sys/kernel/debug/tracing ]; then
		tracefs=/sys/kernel/debug/tracing mounted=/sys/kernel/debug
	else
		die "there is no tracefs and it cannot be mounted: the kernel lacks CONFIG_FTRACE, or this is a container" \
			"(run it on the host, or with --privileged)"
	fi
fi

instance=
putback() {
	trap - EXIT INT TERM HUP
	if [ -n "$instance" ]; then
		echo 0 > "$instance/tracing_on"
		echo > "$instance/set_event"
		rmdir "$instance" 2>/dev/null || say "$instance could not be removed: rmdir it once nobody reads it"
	fi
	if [ -n "$mounted" ]; then
		umount "$mounted" 2>/dev/null
	fi
}
trap putback EXIT
trap 'exit 130' INT TERM HUP

[ -d $tracefs/events/kmem ] || die "this kernel has no kmem tracepoints (CONFIG_TRACEPOINTS, CONFIG_EVENT_TRACING)"
[ -d $tracefs/instances ] || die "this kernel's tracefs has no instances (3.10 and later have): use the recipe in docs/recording.md"
mkdir "$tracefs/instances/slabscope-$$" 2>/dev/null || die "no instance of tracefs could be made: is memory short?"
instance=$tracefs/instances/slabscope-$$
echo 0 > "$instance/tracing_on"

# Half of the memory that is free at most, and 64 MiB a CPU at most.
cpus=$(grep -c ^processor /proc/cpuinfo)
if [ -z "$kib" ]; then
	free_kib=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
	kib=$((${free_kib:-262144} / 2 / ${cpus:-1}))
	[ $kib -gt 65536 ] && kib=65536
fi
echo "$kib" > "$instance/buffer_size_kb" 2>/dev/null ||
	die "a buffer of $kib KiB for each of $cpus CPUs could not be had: take a smaller -b"

# Pointers as they are: without, two objects may look like one. 6.1 would leave out names instead.
case $(uname -r) in
6.1.*) say "linux 6.1 leaves out names with real pointers, so pointers are hashed: they are identities, not addresses" ;;
*)
	if [ -e "$instance/options/hash-ptr" ]; then
		echo 0 > "$instance/options/hash-ptr"
	elif [ -e $tracefs/options/hash-ptr ]; then
		say "pointers are hashed: boot with no_hash_pointers for addresses"
	fi
	;;
esac

chosen=
for event in kmalloc kmalloc_node kmem_cache_alloc kmem_cache_alloc_node kfree kmem_cache_free $pages; do
	[ -d $tracefs/events/kmem/$event ] && echo 1 > "$instance/events/kmem/$event/enable" && chosen="$chosen $event"
done
for event in kmalloc kmem_cache_alloc kfree kmem_cache_free; do
	case "$chosen " in *" $event "*) ;; *) say "the event $event is not there: its objects will be missing" ;; esac
done

# "make -j8 vmlinux" gives make-j8-vmlinux: the name of the trace wherever it is opened.
shown=$*
case $1 in */*) shown=${shown#"${1%/*}/"} ;; esac
workload=$(printf %s "$shown" | tr -cs 'A-Za-z0-9._' - | cut -c1-48)
workload=${workload%-}
workload=${workload:-workload}
folder=${folder:-slabscope-$workload-$(date +%Y%m%d-%H%M%S)}
mkdir -p "$folder" || die "$folder cannot be made"

# What the caches are like; calls and traces of debugging are long and are not compared.
caches() {
	if [ -d /sys/kernel/slab ]; then
		grep -Rs . /sys/kernel/slab --exclude='*calls' --exclude='*traces' --exclude=trace --exclude=uevent > "$1"
		# Links: the names of merged caches.
		ls -l /sys/kernel/slab | grep -e ' -> ' >> "$1"
	elif [ -r /proc/slabinfo ]; then
		cat /proc/slabinfo > "$1"
	else
		say "neither /sys/kernel/slab nor /proc/slabinfo is there: nothing to lay over the model"
	fi
}

# Which kernel, and the names of its functions: with these somebody else can read the addresses of the trace.
{
	uname -r
	echo "command: $*"
	echo "CPUs: $cpus"
	echo "page size: $(getconf PAGESIZE)"
} > "$folder/kernel.txt"
gzip -c /proc/kallsyms > "$folder/kallsyms.txt.gz" 2>/dev/null || say "/proc/kallsyms cannot be read: addresses will have no names"

caches "$folder/slab-before.txt"
echo 1 > "$instance/tracing_on"
"$@"
status=$?
echo 0 > "$instance/tracing_on"
caches "$folder/slab-after.txt"
# The trace itself does not say on which kernel it was recorded; the model follows this line.
{ echo "# os release : $(uname -r)"; cat "$instance/trace"; } | gzip -c > "$folder/$workload.trace.txt.gz" || die "$folder/$workload.trace.txt.gz could not be written: is the disk full?"

[ $status = 0 ] || say "the command ended with status $status"
lost=$(awk '/^(overrun|commit overrun|dropped events):/ { n += $NF } END { print n + 0 }' "$instance"/per_cpu/cpu*/stats)
kept=$(awk '/^entries:/ { n += $NF } END { print n + 0 }' "$instance"/per_cpu/cpu*/stats)
say "$folder: $kept events"
if [ "$lost" != 0 ]; then
	say "$lost events were lost, the earliest: take a larger buffer (-b $((kib * 2 + kib * lost / (kept + 1)))) or a shorter command"
fi
exit $status
