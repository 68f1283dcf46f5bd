/*
 * filter_add.c - the conditions of a filter, from text: events, times, CPUs, nodes, caches and call sites. See filter.h.
 */
#include "sim/cache.h"
#include "trace/filter.h"
#include "trace/trace.h"
#include "util/scan.h"
#include "util/text.h"

static const char *const key_names[NR_FILTER_KEYS] = {
	"from-event", "to-event", "from-time", "to-time", "cpu",
	"node",	      "cache",	  "call-site", "task",
};

u32 filter_key_of(const char *name)
{
	u32 key = 0;

	while (key < NR_FILTER_KEYS && !text_is(name, key_names[key]))
		key++;
	return key;
}

/* Texts end at their NUL, so nothing after it may be read. */
static const u8 *find_char(const u8 *p, const u8 *end, u8 c)
{
	while (p < end && *p != c)
		p++;
	return p;
}

/* Complains about a value: what was found, what was expected, what to do. */
static s32 wrong(struct trace_filter *f, u32 key, const char *value, u32 len, const char *expected)
{
	struct text out = text_in(f->error, sizeof(f->error));

	text_print(&out, "%s ", key_names[key]);
	text_add_quoted(&out, value, len);
	text_print(&out, ": %s", expected);
	return KMEM_EPARAM;
}

static s32 add_event(struct trace *t, u32 key, const char *value)
{
	struct trace_filter *f = &t->filter;
	const u8 *p = (const u8 *)value;
	u32 len = text_length(value);
	u64 event;

	if (!scan_decimal(p, p + len, 0xffffffff, &event) || !event)
		return wrong(f, key, value, len, "expected an event number, counted from 1");
	if (key == FILTER_TO_EVENT) {
		f->to = MIN(f->to, (u32)event);
		return KMEM_OK;
	}
	if (event > t->nr_ops) {
		struct text out = text_in(f->error, sizeof(f->error));
		text_print(&out, "from-event %ju: the trace has only %u events", event, t->nr_ops);
		return KMEM_EPARAM;
	}
	f->from = MAX(f->from, (u32)event - 1);
	return KMEM_OK;
}

/* Reads seconds with at most nine decimals as nanoseconds, or ticks. */
static int read_time(const struct trace *t, const char *value, u64 *time)
{
	const u8 *p = (const u8 *)value, *end = p + text_length(value);
	const u8 *point = scan_digits(p, end);
	u64 whole;

	if (!t->report.time_is_ns)
		return scan_decimal(p, end, ~(u64)0 >> 1, time);
	if (!scan_decimal(p, point, ~(u64)0 / 2000000000, &whole))
		return 0;
	*time = whole * 1000000000;
	if (point == end)
		return 1;
	return *point == '.' && end - point >= 2 && end - point <= 10 &&
	       scan_decimals(point + 1, end, 1000000000, time) == end;
}

/* Returns the first event at or after a time. */
static u32 event_at(const struct trace *t, u64 time)
{
	u32 low = 0, high = t->nr_ops;

	while (low < high) {
		u32 mid = low + (high - low) / 2;
		if (trace_time(t, mid) < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static s32 add_time(struct trace *t, u32 key, const char *value)
{
	struct trace_filter *f = &t->filter;
	u32 len = text_length(value);
	u64 time;

	if (!t->has_times)
		return wrong(f, key, value, len,
			     "the trace has no times: use from-event and to-event");
	if (!read_time(t, value, &time))
		return wrong(
			f, key, value, len,
			t->report.time_is_ns
				? "expected seconds as the trace counts them, such as 4582.696626"
				: "expected ticks of the trace's clock, a whole number");
	if (key == FILTER_TO_TIME)
		f->to = MIN(f->to, event_at(t, time + 1));
	else
		f->from = MAX(f->from, event_at(t, time));
	return KMEM_OK;
}

/* Reads `0-3,7` into a bitmap. */
static s32 add_numbers(struct trace_filter *f, u32 key, const char *value, u64 *bits, u32 nr_bits,
		       const char *expected)
{
	const u8 *p = (const u8 *)value, *end = p + text_length(value);

	do {
		const u8 *comma = find_char(p, end, ','), *dash = find_char(p, comma, '-');
		u64 first, last;
		if (!scan_decimal(p, dash, nr_bits - 1, &first))
			return wrong(f, key, value, (u32)(end - (const u8 *)value), expected);
		last = first;
		if (dash < comma &&
		    (!scan_decimal(dash + 1, comma, nr_bits - 1, &last) || last < first))
			return wrong(f, key, value, (u32)(end - (const u8 *)value), expected);
		for (u64 i = first; i <= last; i++)
			bits[i / 64] |= (u64)1 << i % 64;
		p = comma + 1;
	} while (p <= end);
	return KMEM_OK;
}

/* Whether a name is meant: `*` stands for any characters. */
static int is_meant(const char *name, const char *name_end, const char *p, const char *p_end)
{
	const char *star = NULL, *resume = name;

	while (name < name_end) {
		if (p < p_end && *p == '*') {
			star = ++p;
			resume = name;
		} else if (p < p_end && *p == *name) {
			p++;
			name++;
		} else if (star) {
			p = star;
			name = ++resume;
		} else {
			return 0;
		}
	}
	while (p < p_end && *p == '*')
		p++;
	return p == p_end;
}

static const char *site_cache_name(const struct trace *t, const struct site *site, char *room)
{
	if (site->cache < t->nr_caches)
		return trace_text(t, t->caches[site->cache].name);
	if (site->cache != SITE_CACHE_KMALLOC)
		return "";
	u32 class = kmalloc_class(site->bytes, LARGEST_KMALLOC_CLASS);
	if (class == KMALLOC_TOO_LARGE)
		return "kmalloc-large";
	kmalloc_spec(LAYOUT_LINUX_6_1, site->kmalloc_type % NR_KMALLOC_TYPES, class, room);
	return room;
}

/* A call site may be named without its offset: `copy_process` for `copy_process+0x20e/0x1ae0`. */
static int is_call_site(const char *name, const char *p, const char *p_end)
{
	const char *end = name + text_length(name), *plus = name;

	while (plus < end && *plus != '+')
		plus++;
	return name < end && (is_meant(name, end, p, p_end) || is_meant(name, plus, p, p_end));
}

/* Marks the sites with a cache or a call site of that name; 0 if there is none. */
static int mark_sites(const struct trace *t, u32 key, u64 *bits, const char *p, const char *p_end)
{
	char room[MAX_NAME_BYTES];
	int found = 0;

	for (u32 s = 0; s < t->nr_sites; s++) {
		const struct site *site = &t->sites[s];
		const char *name = key == FILTER_CACHE ? site_cache_name(t, site, room)
						       : trace_text(t, site->call_site);
		if (key == FILTER_CACHE
			    ? *name && is_meant(name, name + text_length(name), p, p_end)
			    : is_call_site(name, p, p_end)) {
			found = 1;
			bits[s / 64] |= (u64)1 << s % 64;
		}
	}
	return found;
}

/* A task may be named by "comm-pid", by its name alone, or by its pid alone. */
static int is_task(const char *text, const char *p, const char *p_end)
{
	const char *end = text + text_length(text), *dash = end;

	while (dash > text && *dash != '-')
		dash--;
	return is_meant(text, end, p, p_end) ||
	       (dash > text &&
		(is_meant(text, dash, p, p_end) || is_meant(dash + 1, end, p, p_end)));
}

static int mark_task(const struct trace *t, u32 key, u64 *bits, const char *p, const char *p_end)
{
	int found = 0;

	(void)key;

	for (u32 at = TEXT_STEP; at < t->text_bytes;) {
		const char *text = trace_text(t, at);
		if (is_task(text, p, p_end)) {
			bits[at / TEXT_STEP / 64] |= (u64)1 << at / TEXT_STEP % 64;
			found = 1;
		}
		at += (text_length(text) / TEXT_STEP + 1) * TEXT_STEP;
	}
	return found;
}

/* Marks one name, or several between commas. A name may itself contain a comma. Returns NULL, or the first name, of
 * *len_bytes, that means nothing. */
static const char *mark_names(const struct trace *t, u32 key, u64 *bits, const char *value,
			      u32 *len_bytes)
{
	const char *end = value + text_length(value), *p = value;
	int (*const mark)(const struct trace *t, u32 key, u64 *bits, const char *p,
			  const char *p_end) = key == FILTER_TASK ? mark_task : mark_sites;

	if (mark(t, key, bits, value, end))
		return NULL;
	do {
		const char *comma = (const char *)find_char((const u8 *)p, (const u8 *)end,
							    (u8)',');
		*len_bytes = (u32)(comma - p);
		if (!mark(t, key, bits, p, comma))
			return p;
		p = comma + 1;
	} while (p <= end);
	return NULL;
}

const char *filter_mark_tasks(const struct trace *t, u64 *bits, const char *value, u32 *len_bytes)
{
	return mark_names(t, FILTER_TASK, bits, value, len_bytes);
}

static s32 add_names(struct trace *t, u32 key, const char *value)
{
	struct trace_filter *f = &t->filter;
	u64 *bits = key == FILTER_TASK	  ? f->by_task
		    : key == FILTER_CACHE ? f->by_cache
					  : f->by_call_site;
	u32 len = text_length(value);

	if (key == FILTER_TASK && !(t->kept.flags & (u32)KMEM_KEEP_TASKS))
		return wrong(f, key, value, len,
			     "the tasks of this trace are unknown, or were not kept by the import");
	const char *unknown = mark_names(t, key, bits, value, &len);
	for (u32 s = 0; key == FILTER_CACHE && s < t->nr_sites; s++)
		if (bit_is_set(bits, s) && t->sites[s].cache < t->nr_caches)
			f->caches[t->sites[s].cache / 64] |= (u64)1 << t->sites[s].cache % 64;
	if (!unknown)
		return KMEM_OK;
	return wrong(f, key, unknown, len,
		     key == FILTER_TASK ? "no event is from this task (* stands for any characters)"
		     : key == FILTER_CACHE
			     ? "no allocation is from a cache of that name: run info for a list"
			     : "no event has this call site (* stands for any characters)");
}

s32 filter_add(struct trace *t, u32 key, const char *value)
{
	struct trace_filter *f = &t->filter;
	s32 status;

	switch (key) {
	case FILTER_FROM_EVENT:
	case FILTER_TO_EVENT:
		status = add_event(t, key, value);
		break;
	case FILTER_FROM_TIME:
	case FILTER_TO_TIME:
		status = add_time(t, key, value);
		break;
	case FILTER_CPU:
		status = add_numbers(f, key, value, f->cpus, MAX_CPUS,
				     "expected CPUs such as 0,2 or 4-7");
		break;
	case FILTER_NODE:
		status = add_numbers(f, key, value, f->nodes, MAX_NODES,
				     "expected nodes such as 0,2 or 1-3");
		break;
	default:
		status = add_names(t, key, value);
	}
	if (!status)
		f->given |= 1u << key;
	return status;
}
