#!/bin/sh
# record.sh - records every slab allocation and free of the machine while a command runs, and its caches before and after.
#
#	traces/record.sh [-o FOLDER] [-b KIB] [-r RECORDER] [-P] -- COMMAND [ARGUMENT...]
#
# Leaves in FOLDER (slabscope-WORKLOAD-DATE): the trace WORKLOAD.trace.txt.gz (trace-cmd: .trace.dat, perf: .perf.data),
# slab-before.txt and slab-after.txt, kernel.txt and kallsyms.txt.gz. WORKLOAD is the command, in letters, digits and dashes.
# -b: buffer for each CPU; -r: tracefs (default), trace-cmd or perf; -P: no page events. Requests that no tracepoint shows are
# recorded by dynamic events where the kernel has their functions. tracefs: in an instance of its own, so that other tracing
# goes on. Puts everything back at the end. TRACEFS, KALLSYMS: where these are.

say() { echo "record.sh: $*" >&2; }
die() { say "$@"; exit 2; }

usage="usage: record.sh [-o FOLDER] [-b KIB] [-r tracefs|trace-cmd|perf] [-P] -- COMMAND [ARGUMENT...]"
case $1 in
-h | --help | help)
	echo "$usage"
	echo "Records every slab allocation and free while the command runs. -o: where to (slabscope-WORKLOAD-DATE here);"
	echo "-b: KiB of buffer for each CPU; -r: which recorder; -P: no page events. See docs/recording.md."
	exit 0
	;;
esac
folder= kib= recorder=tracefs pages="mm_page_alloc mm_page_free"
while getopts o:b:r:pP option; do
	case $option in
	o) folder=$OPTARG ;;
	b) kib=$OPTARG ;;
	r) recorder=$OPTARG ;;
	p) ;; # page events, the default since
	P) pages= ;;
	*) die "$usage" ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || die "$usage"
case $kib in *[!0-9]*) die "-b takes a number of KiB, not \`$kib\`" ;; esac
case $recorder in
tracefs) ;;
trace-cmd | perf) command -v "$recorder" > /dev/null || die "$recorder is not installed: leave out -r, tracefs needs no program" ;;
*) die "-r takes tracefs, trace-cmd or perf, not \`$recorder\`" ;;
esac

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

instance= probes=
putback() {
	trap - EXIT INT TERM HUP
	if [ -n "$instance" ]; then
		echo 0 > "$instance/tracing_on"
		echo > "$instance/set_event"
		rmdir "$instance" 2>/dev/null || say "$instance could not be removed: rmdir it once nobody reads it"
	fi
	for name in $probes; do
		remove_probe "$name" || say "the dynamic event slabscope/$name could not be removed: echo -:slabscope/$name >> $tracefs/kprobe_events"
	done
	if [ -n "$mounted" ]; then
		umount "$mounted" 2>/dev/null
	fi
}
remove_probe() { { echo "-:slabscope/$1" >> $tracefs/kprobe_events; } 2>/dev/null; }
trap putback EXIT
trap 'exit 130' INT TERM HUP

[ -d $tracefs/events/kmem ] || die "this kernel has no kmem tracepoints (CONFIG_TRACEPOINTS, CONFIG_EVENT_TRACING)"
release=$(uname -r)
cpus=$(grep -c ^processor /proc/cpuinfo)
# Half of the memory that is free at most, and 64 MiB a CPU at most.
if [ -z "$kib" ]; then
	free_kib=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
	kib=$((${free_kib:-262144} / 2 / ${cpus:-1}))
	[ $kib -gt 65536 ] && kib=65536
fi

# Pointers as they are: without, two objects may look like one. 6.1 would leave out names instead. trace-cmd and perf always have them.
hashed=
if [ $recorder = tracefs ]; then
	[ -d $tracefs/instances ] || die "this kernel's tracefs has no instances (3.10 and later have): use the recipe in docs/recording.md"
	mkdir "$tracefs/instances/slabscope-$$" 2>/dev/null || die "no instance of tracefs could be made: is memory short?"
	instance=$tracefs/instances/slabscope-$$
	echo 0 > "$instance/tracing_on"
	echo "$kib" > "$instance/buffer_size_kb" 2>/dev/null ||
		die "a buffer of $kib KiB for each of $cpus CPUs could not be had: take a smaller -b"
	case $release in
	6.1.*)
		hashed=1
		say "linux 6.1 leaves out names with real pointers, so pointers are hashed: they are identities, not addresses"
		;;
	4.1[5-9].* | 4.20.* | 5.[0-9].* | 5.11.*)
		hashed=1
		say "pointers are hashed: boot with no_hash_pointers for addresses"
		;;
	*)
		if [ -e "$instance/options/hash-ptr" ]; then
			echo 0 > "$instance/options/hash-ptr"
		elif [ -e $tracefs/options/hash-ptr ]; then
			hashed=1
			say "pointers are hashed: boot with no_hash_pointers for addresses"
		fi
		;;
	esac
fi

# probe NAME FUNCTION DEFINITION...: a dynamic event of the group slabscope. The first definition that the kernel takes counts: those
# with names of caches need BTF. docs/formats.md lists the events.
absent= refused= added=
probe() {
	name=$1 symbol=$2
	shift 2
	if ! grep -q " [tT] $symbol\$" "$kallsyms"; then
		absent="$absent, $symbol"
		return 1
	fi
	for definition in "$@"; do
		if { echo "${definition%% *}:slabscope/$name $symbol ${definition#* }" >> $tracefs/kprobe_events; } 2>/dev/null &&
			[ -d $tracefs/events/slabscope/$name ]; then
			probes="$probes $name" added="$added, $symbol"
			return 0
		fi
	done
	refused="$refused, $symbol"
	return 1
}
kallsyms=${KALLSYMS:-/proc/kallsyms}
if [ ! -e $tracefs/kprobe_events ]; then
	say "kfree_rcu(), prefilled sheaves and bulk requests are not recorded: the kernel lacks CONFIG_KPROBE_EVENTS"
elif [ -n "$hashed" ]; then
	say "kfree_rcu(), prefilled sheaves and bulk requests are not recorded: their addresses match no hashed pointer (-r trace-cmd and -r perf record them)"
elif [ ! -r "$kallsyms" ]; then
	say "kfree_rcu(), prefilled sheaves and bulk requests are not recorded: $kallsyms cannot be read"
else
	# Left by a call that was killed. An event that somebody uses cannot be removed, nor added.
	for at in $tracefs/events/slabscope/probe_*; do
		[ -d "$at" ] && grep -q "slabscope/${at##*/} " $tracefs/kprobe_events && remove_probe "${at##*/}"
	done
	# Every kfree_rcu() goes through kvfree_call_rcu; __kfree_rcu_sheaf sees objects of the CPU's own node only.
	probe probe_kfree_rcu kvfree_call_rcu 'p head=$arg1:x64 ptr=$arg2:x64' ||
		probe probe_kfree_rcu __kfree_rcu_sheaf 'p ptr=$arg2:x64 name=s->name:string' 'p ptr=$arg2:x64'
	probe probe_prefill_sheaf kmem_cache_prefill_sheaf \
		'r64 sheaf=$retval:x64 nr=$arg3:u32 gfp_flags=$arg2:x32 name=s->name:string' 'r64 sheaf=$retval:x64 nr=$arg3:u32'
	probe probe_alloc_from_sheaf kmem_cache_alloc_from_sheaf_noprof 'p sheaf=$arg3:x64'
	probe probe_refill_sheaf kmem_cache_refill_sheaf 'p sheaf=+0($arg3):x64 nr=$arg4:u32'
	probe probe_return_sheaf kmem_cache_return_sheaf 'p sheaf=$arg3:x64'
	probe probe_rcu_sheaf_done rcu_free_sheaf 'p'
	probe probe_free_bulk kmem_cache_free_bulk \
		'p nr=$arg2:u32 ptrs=+0($arg3):x64[64] name=s->name:string' 'p nr=$arg2:u32 ptrs=+0($arg3):x64[64]'
	probe probe_alloc_bulk kmem_cache_alloc_bulk_noprof \
		'r64 nr=$retval:u32 ptrs=+0($arg4):x64[64] bytes_alloc=s->size:u32 gfp_flags=$arg2:x32 name=s->name:string'
	[ -n "$added" ] && say "dynamic events are added for ${added#, }"
	[ -n "$absent" ] && say "this kernel has no ${absent#, }: nothing is recorded for them"
	[ -n "$refused" ] && say "the kernel refuses a dynamic event for ${refused#, }: inlined, not traceable, in use by another record.sh, or it needs BTF"
fi

events=
for event in kmalloc kmalloc_node kmem_cache_alloc kmem_cache_alloc_node kfree kmem_cache_free $pages; do
	[ -d $tracefs/events/kmem/$event ] && events="$events kmem/$event"
done
for event in kmalloc kmem_cache_alloc kfree kmem_cache_free; do
	case "$events " in *" kmem/$event "*) ;; *) say "the event $event is not there: its objects will be missing" ;; esac
done
for name in $probes; do
	events="$events slabscope/$name"
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
	echo "$release"
	echo "command: $*"
	echo "CPUs: $cpus"
	echo "page size: $(getconf PAGESIZE)"
	echo "events:$events"
} > "$folder/kernel.txt"
gzip -c /proc/kallsyms > "$folder/kallsyms.txt.gz" 2>/dev/null || say "/proc/kallsyms cannot be read: addresses will have no names"

# Runs the command under another recorder, whose own status says nothing about it.
under() {
	"$@"
	recorded=$?
	status=$(cat "$folder/status" 2>/dev/null)
	rm -f "$folder/status"
	[ -s "$trace" ] || die "$recorder ended with status $recorded and left no trace"
	status=${status:-$recorded}
}

# Objects whose frees wait for RCU, or for the batches of kfree_rcu() up to 5 seconds, are freed before the trace ends and before the
# caches are copied: so both count the same objects.
settle=1
case "$probes " in *"probe_kfree_rcu "*) settle=6 ;; esac
run='at=$1; shift; "$@"; echo $? > "$at/status"; sleep '$settle

caches "$folder/slab-before.txt"
case $recorder in
tracefs)
	trace=$folder/$workload.trace.txt.gz
	for event in $events; do
		echo 1 > "$instance/events/$event/enable"
	done
	echo 1 > "$instance/tracing_on"
	"$@"
	status=$?
	sleep $settle
	echo 0 > "$instance/tracing_on"
	;;
trace-cmd)
	trace=$folder/$workload.trace.dat
	options=
	for event in $events; do
		options="$options -e ${event%/*}:${event#*/}"
	done
	under trace-cmd record -b "$kib" -o "$trace" $options sh -c "$run" sh "$folder" "$@"
	;;
perf)
	trace=$folder/$workload.perf.data
	options=
	for event in $events; do
		options="$options -e ${event%/*}:${event#*/}"
	done
	# perf takes a power of two of pages.
	mmap=1
	while [ $((mmap * 8)) -le "$kib" ]; do
		mmap=$((mmap * 2))
	done
	under perf record -a -m $mmap -o "$trace" $options -- sh -c "$run" sh "$folder" "$@"
	;;
esac
caches "$folder/slab-after.txt"
[ $status = 0 ] || say "the command ended with status $status"
if [ $recorder = tracefs ]; then
	# The trace itself does not say on which kernel it was recorded; the model follows this line.
	{ echo "# os release : $release"; cat "$instance/trace"; } | gzip -c > "$trace" || die "$trace could not be written: is the disk full?"
	lost=$(awk '/^(overrun|commit overrun|dropped events):/ { n += $NF } END { print n + 0 }' "$instance"/per_cpu/cpu*/stats)
	kept=$(awk '/^entries:/ { n += $NF } END { print n + 0 }' "$instance"/per_cpu/cpu*/stats)
	say "$folder: $kept events"
	if [ "$lost" != 0 ]; then
		say "$lost events were lost, the earliest: take a larger buffer (-b $((kib * 2 + kib * lost / (kept + 1)))) or a shorter command"
	fi
fi

names= warm= both=
[ $recorder = tracefs ] || names=" --kallsyms '$folder/kallsyms.txt.gz'"
if [ -s "$folder/slab-before.txt" ]; then
	warm=" --warm '$folder/slab-before.txt'"
	both=" --before '$folder/slab-before.txt' --machine-state '$folder/slab-after.txt'"
fi
say "run next, for where the memory goes and for the model's caches beside the machine's:"
say "  slabscope doctor '$trace'$warm$names"
say "  slabscope replay '$trace'$warm$both$names"
exit $status
