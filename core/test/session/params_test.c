/* params_test.c - which source wins, what is accepted, and what a person reads when it is not. */
#include "params/param_defs.h"
#include "sim/cache.h"

#include "test/support/check.h"
#include "test/support/session_util.h"

static struct params p;

static s32 set(enum params_origin origin, const char *key, const char *value)
{
	return params_set(&p, origin, key, (u32)strlen(key), value, (u32)strlen(value));
}

static void refuses(const char *key, const char *value, const char *sentence)
{
	CHECK(set(FROM_USER, key, value) == KMEM_EPARAM);
	if (strcmp(p.error, sentence) != 0)
		fprintf(stderr, "%s=%s: %s\n", key, value, p.error);
	CHECK(strcmp(p.error, sentence) == 0);
}

static void unset_parameters_have_their_defaults(void)
{
	u32 len;

	params_init(&p);
	CHECK(params_get(&p, PARAM_CPUS) == PARAM_AUTOMATIC);
	CHECK(params_get(&p, PARAM_NODES) == 1);
	CHECK(params_get(&p, PARAM_PAGE_SIZE) == 0);
	CHECK(params_get(&p, PARAM_REMOTE_NODE_DEFRAG_RATIO) == 100);
	CHECK(params_list(&p, PARAM_ZONES, &len) == NULL && len == 0);
	CHECK(params_origin(&p, PARAM_NODES) == FROM_DEFAULT);
}

static void the_stronger_source_wins(void)
{
	params_init(&p);
	CHECK(params_preset(&p, "linux-2.6.36") == KMEM_OK);
	CHECK(params_get(&p, PARAM_MIN_PARTIAL_RULE) == 1);
	CHECK(set(FROM_USER, "min_partial_rule", "static") == KMEM_OK);
	CHECK(set(FROM_TRACE, "min_partial_rule", "mainline") == KMEM_OK);
	CHECK(params_get(&p, PARAM_MIN_PARTIAL_RULE) == 2);
	CHECK(set(FROM_USER, "min_partial_rule", "") == KMEM_OK);
	CHECK(params_get(&p, PARAM_MIN_PARTIAL_RULE) == 0);
	CHECK(set(FROM_TRACE, "min_partial_rule", "") == KMEM_OK);
	CHECK(params_origin(&p, PARAM_MIN_PARTIAL_RULE) == FROM_PRESET);
	CHECK(params_preset(&p, "linux-6.7") == KMEM_OK);
	CHECK(params_get(&p, PARAM_MIN_PARTIAL_RULE) == 0);
	CHECK(params_get(&p, PARAM_ORDER_RULE) == 2);
	CHECK(params_preset(&p, "") == KMEM_OK);
	CHECK(params_origin(&p, PARAM_ORDER_RULE) == FROM_DEFAULT);
}

/* A preset replaces another entirely, so all of them set the same keys; and linux-6.1 is the default. */
static void a_preset_sets_whatever_any_preset_sets(void)
{
	u8 set_by_any[NR_PARAMS] = { 0 };

	for (u32 i = 0; i < NR_PRESETS; i++) {
		params_init(&p);
		CHECK(params_preset(&p, presets[i].name) == KMEM_OK, "%s", p.error);
		for (u32 k = 0; k < NR_PARAMS; k++)
			set_by_any[k] |= p.present[FROM_PRESET][k];
	}
	for (u32 i = 0; i < NR_PRESETS; i++) {
		params_init(&p);
		params_preset(&p, presets[i].name);
		for (u32 k = 0; k < NR_PARAMS; k++)
			CHECK(p.present[FROM_PRESET][k] == set_by_any[k], "%s: %s", presets[i].name,
			      param_defs[k].key);
	}
	params_init(&p);
	params_preset(&p, "linux-6.1");
	for (u32 k = 0; k < NR_PARAMS; k++)
		CHECK(!set_by_any[k] || p.value[FROM_PRESET][k] == p.value[FROM_DEFAULT][k], "%s",
		      param_defs[k].key);
}

static void an_allocator_may_have_its_own_default(void)
{
	params_init(&p);
	CHECK(set(FROM_USER, "allocator", "unified") == KMEM_OK);
	CHECK(params_get(&p, PARAM_MIN_PARTIAL_RULE) == 1);
	CHECK(params_preset(&p, "linux-6.7") == KMEM_OK);
	CHECK(params_get(&p, PARAM_MIN_PARTIAL_RULE) == 1 && params_get(&p, PARAM_ORDER_RULE) == 0);
	CHECK(set(FROM_TRACE, "min_partial_rule", "static") == KMEM_OK);
	CHECK(params_get(&p, PARAM_MIN_PARTIAL_RULE) == 2);
}

static void reads_every_form_of_a_value(void)
{
	const u16 *list;
	u32 len;

	params_init(&p);
	CHECK(set(FROM_USER, "memory", "3G") == KMEM_OK &&
	      params_get(&p, PARAM_MEMORY) == 3LL << 30);
	CHECK(set(FROM_USER, "memory", "256TiB") == KMEM_OK &&
	      params_get(&p, PARAM_MEMORY) == 256LL << 40);
	CHECK(set(FROM_USER, "memory", "16777216") == KMEM_OK &&
	      params_get(&p, PARAM_MEMORY) == 16 << 20);
	CHECK(set(FROM_USER, "page_size", "64K") == KMEM_OK &&
	      params_get(&p, PARAM_PAGE_SIZE) == 2);
	CHECK(set(FROM_USER, "min_partial", "4294967294") == KMEM_OK);
	CHECK(params_get(&p, PARAM_MIN_PARTIAL) == 4294967294LL);
	CHECK(set(FROM_TRACE, "zones", "2,2,1,1") == KMEM_OK);
	CHECK(set(FROM_USER, "zones", "3") == KMEM_OK);
	list = params_list(&p, PARAM_ZONES, &len);
	CHECK(len == 1 && list[0] == 3);
	CHECK(set(FROM_USER, "zones", "") == KMEM_OK);
	list = params_list(&p, PARAM_ZONES, &len);
	CHECK(len == 4 && list[0] == 2 && list[3] == 1);
	CHECK(set(FROM_USER, "zones", "automatic") == KMEM_OK);
	CHECK(params_list(&p, PARAM_ZONES, &len) == NULL);
}

/* Older traces, scripts and links have seed-2008 and seed-2023; only the new spelling is printed. */
static void accepts_older_spellings(void)
{
	char shown[64];
	struct text t = text_in(shown, sizeof(shown));

	params_init(&p);
	CHECK(set(FROM_USER, "order_rule", "seed-2023") == KMEM_OK);
	CHECK(params_get(&p, PARAM_ORDER_RULE) == ORDER_RFC_2023);
	CHECK(set(FROM_USER, "min_partial_rule", "seed-2008") == KMEM_OK);
	CHECK(params_get(&p, PARAM_MIN_PARTIAL_RULE) == MIN_PARTIAL_RFC_2008);
	params_add_text(&p, PARAM_MIN_PARTIAL_RULE, &t);
	CHECK(strcmp(shown, "rfc-2008") == 0);
	CHECK(set(FROM_USER, "order_rule", "seed-2008") == KMEM_EPARAM);
	CHECK(set(FROM_USER, "order_rule", "seed-") == KMEM_EPARAM);
	CHECK(set(FROM_USER, "order_rule", "seed-linux-6.7") == KMEM_EPARAM);
}

static void refuses_with_what_was_expected_and_found(void)
{
	params_init(&p);
	refuses("min_partal", "5", "unknown parameter `min_partal`: did you mean min_partial?");
	refuses("node", "5", "unknown parameter `node`: did you mean nodes?");
	refuses("frobnicate", "5",
		"unknown parameter `frobnicate`: run `slabscope params` for a list");
	refuses("min_partial_rule", "dynamic",
		"min_partial_rule: expected mainline, rfc-2008, static; found `dynamic`");
	refuses("cpus", "0", "cpus: expected a number in 1..4096, or automatic; found `0`");
	refuses("cpus", "4097", "cpus: expected a number in 1..4096, or automatic; found `4097`");
	refuses("nodes", "automatic", "nodes: expected a number in 1..1024; found `automatic`");
	refuses("cpus", "-1", "cpus: expected a number in 1..4096, or automatic; found `-1`");
	refuses("cpus", "99999999999999999999",
		"cpus: expected a number in 1..4096, or automatic; found `99999999999999999999`");
	refuses("memory", "16MB",
		"memory: expected a size in 16M..256T, or automatic; found `16MB`");
	refuses("memory", "99999999T",
		"memory: expected a size in 16M..256T, or automatic; found `99999999T`");
	refuses("page_size", "8192", "page_size: expected 4096, 16384, 65536; found `8192`");
	refuses("zones", "3,4",
		"zones: expected numbers joined by commas: zones of node 0, of node 1, ... (1..3), "
		"or automatic; found `3,4`");
	refuses("zones", "3,",
		"zones: expected numbers joined by commas: zones of node 0, of node 1, "
		"... (1..3), or automatic; found `3,`");
	refuses("memory", "K", "memory: expected a size in 16M..256T, or automatic; found `K`");
	CHECK(params_preset(&p, "linux-1.0") == KMEM_EPARAM);
	CHECK(strncmp(p.error, "unknown preset `linux-1.0`: expected linux-2.6.26, ", 49) == 0);
	CHECK(!strcmp(p.error + strlen(p.error) - 9, "linux-7.2"));
}

static void lists_must_fit_the_machine(void)
{
	params_init(&p);
	CHECK(params_check(&p, 4, 2) == KMEM_OK);
	CHECK(set(FROM_USER, "cpu_node", "0,0,1,1") == KMEM_OK);
	CHECK(params_check(&p, 4, 2) == KMEM_OK);
	CHECK(params_check(&p, 2, 2) == KMEM_EPARAM);
	CHECK(strcmp(p.error, "cpu_node: expected 2 entries, one for each CPU; found 4") == 0);
	CHECK(params_check(&p, 4, 1) == KMEM_EPARAM);
	CHECK(strcmp(p.error, "cpu_node puts CPU 2 on node 1, but the last node is 0") == 0);
}

static void parses_without_a_session(void)
{
	enum kmem_param param;
	s64 value;

	params_init(&p);
	CHECK(params_parse(&p, "cpu_partialXX", 11, "30 ", 2, &param, &value) == KMEM_OK);
	CHECK(param == PARAM_CPU_PARTIAL && value == 30 && params_is_runtime(param));
	CHECK(params_get(&p, PARAM_CPU_PARTIAL) == PARAM_AUTOMATIC);
	CHECK(!params_is_runtime(PARAM_ORDER_RULE));
}

static void json_lists_every_parameter(void)
{
	static char buf[PARAMS_JSON_MAX], small[1000];

	params_init(&p);
	params_preset(&p, "linux-4.19");
	CHECK(params_json(&p, buf, sizeof(buf)) == buf);
	CHECK(strstr(buf,
		     "\"key\":\"cpu_partial_unit\",\"type\":\"choice\",\"allocators\":[\"slub\"],"
		     "\"values\":[\"slabs\",\"objects\"],\"default\":\"slabs\"") != NULL);
	CHECK(strstr(buf, "\"origin\":\"preset\",\"runtime\":false,\"value\":\"objects\"}") !=
	      NULL);
	CHECK(params_json(&p, small, sizeof(small)) == NULL);
}

static void every_parameter_has_a_name_and_a_meaning(void)
{
	static char buf[PARAMS_JSON_MAX], small[1000];

	params_init(&p);
	CHECK(set(FROM_USER, "cost.ALLOC_FASTPATH", "11") == KMEM_OK);
	CHECK(params_names_json(&p, buf, sizeof(buf)) == buf);
	CHECK(strstr(buf,
		     "{\"key\":\"node_search\",\"name\":\"Search of other nodes\",\"group\":\"proposals\",\"debugs\":false}") !=
	      NULL);
	CHECK(strstr(buf,
		     "{\"key\":\"red_zone\",\"name\":\"Red zones\",\"group\":\"debugging\",\"debugs\":true}") !=
	      NULL);
	CHECK(strstr(buf,
		     "{\"key\":\"cost.ALLOC_FASTPATH\",\"name\":\"Alloc fastpath\",\"meaning\":\"Model "
		     "cycles of the step ALLOC_FASTPATH") != NULL);
	CHECK(strstr(buf, "\"default\":\"9\",\"value\":\"11\"}") != NULL);
	CHECK(strstr(buf, "{\"key\":\"cost.LOCK\",\"name\":\"Lock\"") != NULL);
	CHECK(params_names_json(&p, small, sizeof(small)) == NULL);
}

static void the_next_trace_has_its_own_machine(void)
{
	static const char first[] =
		"slabtrace 1\nmachine cpus=3 nodes=2\ncache c size=8\na 1 c cpu=0\n";
	static const char second[] = "slabtrace 1\ncache c size=8\na 1 c cpu=0\n";
	struct kmem_session *s = session_of_text(first);

	CHECK(kmem_set(s, "page_size", "16384") == KMEM_OK);
	CHECK(strcmp(kmem_param(s, "nodes"), "2") == 0);
	CHECK(kmem_import_begin(s) == KMEM_OK);
	CHECK(kmem_import_chunk(s, (const u8 *)second, sizeof(second) - 1) == KMEM_OK);
	CHECK(kmem_import_end(s) == KMEM_OK);
	CHECK(strcmp(kmem_param(s, "nodes"), "1") == 0);
	CHECK(strcmp(kmem_param(s, "cpus"), "automatic") == 0);
	CHECK(strcmp(kmem_param(s, "page_size"), "16384") == 0);
	CHECK(kmem_param(s, "pages") == NULL);
}

/* Returns text of the region, where a session starts; "" where nothing is named. */
static const char *named(struct kmem_session *s, u32 at)
{
	return at ? (const char *)s + at : "";
}

static void refusals_name_what_is_at_fault(void)
{
	struct kmem_session *s =
		session_of_text("slabtrace 1\nmachine cpus=2\ncache c size=8\na 1 c cpu=0\n");

	CHECK(kmem_set(s, "pages", "1") == KMEM_EPARAM);
	CHECK(kmem_fault(s)->kind == FAULT_KEY && kmem_fault(s)->status == KMEM_EPARAM);
	CHECK(strcmp(named(s, kmem_fault(s)->key_at), "pages") == 0);
	CHECK(kmem_set(s, "nodes", "0") == KMEM_EPARAM);
	CHECK(kmem_fault(s)->kind == FAULT_VALUE);
	CHECK(strcmp(named(s, kmem_fault(s)->key_at), "nodes") == 0);
	CHECK(kmem_preset(s, "linux-0.1") == KMEM_EPARAM);
	CHECK(kmem_fault(s)->kind == FAULT_PRESET);
	CHECK(strcmp(named(s, kmem_fault(s)->key_at), "linux-0.1") == 0);
	CHECK(kmem_seek(s, 9) == KMEM_ESTATE);
	CHECK(kmem_fault(s)->status == KMEM_ESTATE && kmem_fault(s)->kind == FAULT_NONE);
	CHECK(kmem_fault(s)->key_at == 0);
	CHECK(kmem_set(s, "cpu_node", "0,0,0") == KMEM_OK);
	CHECK(kmem_build(s, 0) == KMEM_EPARAM);
	CHECK(kmem_fault(s)->kind == FAULT_VALUE);
	CHECK(strcmp(named(s, kmem_fault(s)->key_at), "cpu_node") == 0);
	CHECK(kmem_set(s, "cpu_node", "") == KMEM_OK);
	CHECK(kmem_set(s, "max_order", "0") == KMEM_OK && kmem_set(s, "min_order", "1") == KMEM_OK);
	CHECK(kmem_build(s, 0) == KMEM_EPARAM);
	CHECK(kmem_fault(s)->kind == FAULT_CONFLICT);
	CHECK(strcmp(named(s, kmem_fault(s)->key_at), "min_order") == 0);
	CHECK(strcmp(named(s, kmem_fault(s)->other_at), "max_order") == 0);
	CHECK(kmem_begin(s, JOB_WORKLOAD, &(struct kmem_workload_args){ "netbsd", "" }) ==
	      KMEM_EPARAM);
	CHECK(kmem_fault(s)->kind == FAULT_WORKLOAD);
	CHECK(kmem_begin(s, JOB_WORKLOAD,
			 &(struct kmem_workload_args){ "netio", "connections=x" }) == KMEM_EPARAM);
	CHECK(kmem_fault(s)->kind == FAULT_VALUE);
	CHECK(strcmp(named(s, kmem_fault(s)->key_at), "connections") == 0);
	CHECK(kmem_begin(s, JOB_WORKLOAD, &(struct kmem_workload_args){ "netio", "connections" }) ==
	      KMEM_EPARAM);
	CHECK(kmem_fault(s)->kind == FAULT_NONE);
}

int main(void)
{
	RUN(unset_parameters_have_their_defaults());
	RUN(the_stronger_source_wins());
	RUN(a_preset_sets_whatever_any_preset_sets());
	RUN(an_allocator_may_have_its_own_default());
	RUN(reads_every_form_of_a_value());
	RUN(accepts_older_spellings());
	RUN(refuses_with_what_was_expected_and_found());
	RUN(lists_must_fit_the_machine());
	RUN(parses_without_a_session());
	RUN(json_lists_every_parameter());
	RUN(every_parameter_has_a_name_and_a_meaning());
	RUN(the_next_trace_has_its_own_machine());
	RUN(refusals_name_what_is_at_fault());
	return check_summary();
}
