/*
 * workload.c - generates a trace instead of reading one: settings, machine, then turns of a shape.
 *
 * A setting is KEY=VALUE. The key is one of workload.def, a parameter of the machine, or `preset`.
 * The last two go on the trace's machine line. The same settings always give the same trace.
 */
#include "workload/workload.h"

static const struct workload_row {
	const char *name, *machine, *meaning;
	u32 kernel;
} rows[NR_WORKLOADS] = {
#define WORKLOAD(id, name, machine, kernel, meaning) { name, machine, meaning, kernel },
#include "tables/workload.def"
#undef WORKLOAD
};

static const struct workload_shape *const shapes[NR_WORKLOADS] = {
	&shape_netio, &shape_kernel_build, &shape_tcp_rr, &shape_hackbench, &shape_boot
};

#define VALUES(...) { __VA_ARGS__ }
static const struct key_row {
	const char *key, *meaning;
	u32 hundredths;
	u64 least, most;
	s64 defaults[NR_WORKLOADS];
} keys[NR_WORKLOAD_KEYS] = {
#define WORKLOAD_KEY(id, key, hundredths, least, most, defaults, meaning) \
	{ key, meaning, hundredths, least, most, defaults },
#include "tables/workload.def"
#undef WORKLOAD_KEY
};

static const struct trace_format format_workload = { .name = "workload",
						     .may_lack_times = 1,
						     .is_made = 1 };

/* Settings */

static s32 no_setting(struct trace *t, struct range word)
{
	struct text out = text_in(t->error, sizeof(t->error));

	text_add_quoted(&out, CHARS_OF(word));
	text_add(&out, " is not KEY=VALUE");
	return KMEM_EPARAM;
}

static s32 unknown_workload(struct trace *t, const char *name)
{
	struct text out = text_in(t->error, sizeof(t->error));

	params_fault(t->params, FAULT_WORKLOAD, name, text_length(name));
	text_add(&out, "unknown workload ");
	text_add_quoted(&out, name, text_length(name));
	text_add(&out, ": expected ");
	for (u32 i = 0; i < NR_WORKLOADS; i++)
		text_print(&out, "%s%s",
			   !i			  ? ""
			   : i + 1 < NR_WORKLOADS ? ", "
						  : " and ",
			   rows[i].name);
	return KMEM_EPARAM;
}

static void add_value(struct text *out, const struct key_row *key, u64 value)
{
	if (!key->hundredths || value % 100 == 0)
		text_add_u64(out, key->hundredths ? value / 100 : value);
	else if (value % 10)
		text_add_decimal(out, (s64)value, 2);
	else
		text_add_decimal(out, (s64)value / 10, 1);
}

static s32 unknown_key(struct trace *t, u32 id, struct range word)
{
	struct text out = text_in(t->error, sizeof(t->error));
	const char *before = "";

	text_add_quoted(&out, CHARS_OF(word));
	text_print(&out, " is neither a parameter of the machine nor a key of %s, which has ",
		   rows[id].name);
	for (u32 k = 0; k < NR_WORKLOAD_KEYS; k++) {
		if (keys[k].defaults[id] < 0)
			continue;
		text_print(&out, "%s%s", before, keys[k].key);
		before = ", ";
	}
	return KMEM_EPARAM;
}

static s32 bad_value(struct trace *t, const struct key_row *key)
{
	struct text out = text_in(t->error, sizeof(t->error));

	params_fault(t->params, FAULT_VALUE, key->key, text_length(key->key));
	text_print(&out, "%s: expected a number from ", key->key);
	add_value(&out, key, key->least);
	text_add(&out, " to ");
	add_value(&out, key, key->most);
	text_add(&out, key->hundredths ? ", with two decimals at most" : "");
	return KMEM_EPARAM;
}

/* Reads decimal digits; for hundredths also a point and one or two more digits. 1 if the text is
 * such a number. */
static int parse_number(struct range v, u32 hundredths, u64 *number)
{
	u32 decimals = 0, digits = 0, point = 0;

	*number = 0;
	for (const u8 *p = v.at; p < v.end; p++) {
		if (*p == '.' && hundredths && !point && digits) {
			point = 1;
			continue;
		}
		if (!is_digit(*p) || digits++ == 10 || (point && ++decimals > 2))
			return 0;
		*number = *number * 10 + (u32)(*p - '0');
	}
	for (; hundredths && decimals < 2; decimals++)
		*number *= 10;
	return digits != 0;
}

/* Returns the number of one of the workload's keys; NR_WORKLOAD_KEYS if it has no such key. */
static u32 find_key(u32 id, struct range word)
{
	u32 k = 0;

	while (k < NR_WORKLOAD_KEYS &&
	       (!span_is(word.at, word.end, keys[k].key) || keys[k].defaults[id] < 0))
		k++;
	return k;
}

static s32 set_one(struct trace *t, struct workload *g, u32 id, struct range word)
{
	struct range value = word, key = scan_part(&value, '=');
	u32 k = find_key(id, key);

	if (value.at == value.end)
		return no_setting(t, word);
	if (span_is(key.at, key.end, "preset"))
		return params_apply_preset(t->params, FROM_TRACE, CHARS_OF(value));
	if (k == NR_WORKLOAD_KEYS) {
		enum kmem_param param;
		if (params_find(t->params, CHARS_OF(key), &param) != KMEM_OK)
			return unknown_key(t, id, key);
		return params_set(t->params, FROM_TRACE, CHARS_OF(key), CHARS_OF(value));
	}
	if (!parse_number(value, keys[k].hundredths, &g->value[k]) || g->value[k] < keys[k].least ||
	    g->value[k] > keys[k].most)
		return bad_value(t, &keys[k]);
	return KMEM_OK;
}

static s32 set_all(struct trace *t, struct workload *g, u32 id, const char *settings)
{
	struct range rest = range_of(settings, text_length(settings));

	while (rest.at < rest.end) {
		struct range word = scan_part(&rest, ' ');
		s32 status = word.at < word.end ? set_one(t, g, id, word) : KMEM_OK;
		if (status)
			return status;
	}
	return KMEM_OK;
}

static int given(const struct trace *t, enum kmem_param param)
{
	return t->params->present[FROM_TRACE][param] != 0;
}

/* Fills in the machine where the settings do not. With another number of nodes, each node has two
 * CPUs. Four nodes have the distances of the machine on which the four-node traces and figures were recorded. */
static s32 complete_machine(struct trace *t, struct workload *g, u32 id)
{
	static const char distances[] = "distance=10,16,22,22,16,10,22,22,22,22,10,16,22,22,16,10";
	u32 has_nodes = (u32)given(t, PARAM_NODES);
	struct range rest = range_of(rows[id].machine, text_length(rows[id].machine));
	s32 status = KMEM_OK;

	while (rest.at < rest.end && !status) {
		struct range word = scan_part(&rest, ' '), value = word,
			     key = scan_part(&value, '=');
		enum kmem_param param = PARAM_CPUS;
		status = params_find(t->params, CHARS_OF(key), &param);
		if (!status && !given(t, param) && !(param == PARAM_CPUS && has_nodes))
			status = set_one(t, g, id, word);
	}
	u64 nodes = (u64)params_get(t->params, PARAM_NODES);
	if (!status && !given(t, PARAM_CPUS)) {
		char setting[24];
		struct text out = text_in(setting, sizeof(setting));
		text_add_number(&out, "cpus=", nodes * 2);
		status = set_one(t, g, id, range_of(setting, out.len));
	}
	if (!status && nodes == 4 && !given(t, PARAM_DISTANCE))
		status = set_one(t, g, id, range_of(distances, sizeof(distances) - 1));
	return status;
}

static s32 read_settings(struct trace *t, struct workload *g, u32 id, const char *settings)
{
	for (u32 k = 0; k < NR_WORKLOAD_KEYS; k++)
		g->value[k] = (u64)keys[k].defaults[id];
	g->value[WORKLOAD_KEY_KERNEL] = rows[id].kernel;
	s32 status = set_all(t, g, id, settings);
	if (!status)
		status = complete_machine(t, g, id);
	if (status)
		return status;
	u64 kernel = g->value[WORKLOAD_KEY_KERNEL];
	/* The decimal number 6.1 is 6.10, but the kernel 6.1 is not 6.10. */
	if (kernel != 610 && kernel != 618) {
		struct text out = text_in(t->error, sizeof(t->error));
		params_fault(t->params, FAULT_VALUE, "kernel", 6);
		text_add(&out, "kernel: expected 6.1 or 6.18");
		return KMEM_EPARAM;
	}
	g->kernel = kernel == 618;
	g->cpus = (u32)params_get(t->params, PARAM_CPUS);
	g->nodes = (u32)params_get(t->params, PARAM_NODES);
	return params_check(t->params, g->cpus, g->nodes);
}

/* Start and run */

/* Allocates the workload's block: its struct, waiting objects, and the shape's state. It never
 * moves. */
static s32 make_block(struct import *im, const struct workload *asked)
{
	u64 rcu = ALIGN_UP((u64)asked->cpus * sizeof(struct rcu_waiting), 64);
	u64 head = ALIGN_UP((u64)sizeof(*asked), 64);
	u64 state = ALIGN_UP(asked->shape->state_bytes(asked), (u64)64);
	int boots = asked->value[WORKLOAD_KEY_AFTER_BOOT] == 1;

	if (!import_grow(im, &im->own,
			 head + rcu + state + (boots ? shape_boot.state_bytes(asked) : 0)))
		return im->status;
	struct workload *g = im->own.at;
	*g = *asked;
	g->rcu = (struct rcu_waiting *)((u8 *)im->own.at + head);
	g->state = (u8 *)im->own.at + head + rcu;
	if (boots) {
		g->after_boot = g->state;
		g->state = (u8 *)g->state + state;
	}
	return KMEM_OK;
}

s32 workload_begin(struct trace *t, const char *name, const char *settings)
{
	struct import *im = t->import;
	struct workload asked = { .im = im };
	u32 id = 0;

	t->params->fault = FAULT_NONE;
	while (id < NR_WORKLOADS && !text_is(name, rows[id].name))
		id++;
	if (id == NR_WORKLOADS)
		return unknown_workload(t, name);
	s32 status = read_settings(t, &asked, id, settings);
	if (status && !t->error[0]) {
		struct text out = text_in(t->error, sizeof(t->error));
		text_add(&out, t->params->error);
	}
	if (status)
		return status;
	im->format = &format_workload;
	asked.shape = shapes[id];
	asked.random = asked.value[WORKLOAD_KEY_SEED] * HASH_MULTIPLIER + id;
	status = make_block(im, &asked);
	if (status)
		return status;
	struct workload *g = im->own.at;
	workload_sorts_init(g);
	(g->after_boot ? &shape_boot : g->shape)->start(g);
	return im->status;
}

/* Runs one turn; 0 when nothing is left to do. */
static int turn(struct workload *g)
{
	const struct workload_shape *shape = g->after_boot ? &shape_boot : g->shape;

	if (shape->phases[g->phase](g))
		return 1;
	g->at = 0;
	if (++g->phase < MAX_PHASES && shape->phases[g->phase])
		return 1;
	if (!g->after_boot)
		return 0;
	g->phase = 0;
	g->state = g->after_boot;
	g->after_boot = NULL;
	g->all = g->done = 0;
	g->shape->start(g);
	return 1;
}

s32 workload_run(struct trace *t, u32 max_ops)
{
	struct workload *g = t->import->own.at;
	u32 end = (u32)MIN((u64)t->nr_ops + max_ops, (u64)0xffffffff);

	while (!g->finished && t->nr_ops < end && t->import->status == KMEM_OK) {
		if (turn(g))
			continue;
		workload_rcu_end(g);
		g->finished = 1;
	}
	if (t->import->status != KMEM_OK || g->finished)
		return t->import->status;
	u64 left = g->all > g->done ? (g->all - g->done) * 1000 / g->all : 0;
	return (s32)MAX(left, (u64)1);
}

/* JSON */

static void json_key(struct text *out, const struct key_row *key, u32 id)
{
	int is_kernel = key == &keys[WORKLOAD_KEY_KERNEL];

	text_json(out, "{'key':%s,'default':", key->key);
	if (is_kernel)
		text_add(out, rows[id].kernel == 618 ? "6.18" : "6.1");
	else
		add_value(out, key, (u64)key->defaults[id]);
	text_json(out, ",'min':");
	add_value(out, key, key->least);
	text_json(out, ",'max':");
	if (is_kernel)
		text_add(out, "6.18");
	else
		add_value(out, key, key->most);
	text_json(out, ",'meaning':%s}", key->meaning);
}

const char *workload_json(char *buf, u32 room)
{
	struct text out = text_in(buf, room);

	text_add(&out, "[");
	for (u32 id = 0; id < NR_WORKLOADS; id++) {
		u32 nr = 0;
		text_add(&out, id ? "," : "");
		text_json(&out, "{'name':%s,'meaning':%s,'machine':%s,'keys':[", rows[id].name,
			  rows[id].meaning, rows[id].machine);
		for (u32 k = 0; k < NR_WORKLOAD_KEYS; k++) {
			if (keys[k].defaults[id] < 0)
				continue;
			text_add(&out, nr++ ? "," : "");
			json_key(&out, &keys[k], id);
		}
		text_add(&out, "]}");
	}
	text_add(&out, "]");
	return out.cut ? NULL : buf;
}
