/*
 * args.c - command line options: parses them by the tables of a command, and explains mistakes.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "doc/names.h"

const char allocator_help[] = "which allocator replays the trace: one of"
#define ALLOCATOR(id, name, label, ops) " " name
#include "tables/allocators.def"
	;

static const struct option common_options[] = {
	{ "quiet", .help = "print no progress and no warnings", .letter = 'q' },
	{ "help", .help = "print this text", .letter = 'h' },
	OPTIONS_END,
};
static const struct option json_options[] = {
	{ "json", .help = "print one JSON document" },
	OPTIONS_END,
};
static const struct option row_options[] = {
	OPTION_CSV,
	{ "markdown", .help = "print the rows of --csv as a Markdown table" },
	OPTIONS_END,
};
static const struct option trace_options[] = {
	OPTION("columns", WORD, "ROLE=COLUMN,...",
	       "what the columns of a CSV file mean, such as ptr=addr,req=3,unit=us"),
	OPTION("kallsyms", FILES, "FILE",
	       "/proc/kallsyms of the same boot, to name call sites that are addresses"),
	OPTIONS_END,
};
static const struct option start_options[] = {
	OPTION_CACHE_PARAMS,
	OPTION("warm", FILES, "FILE,...",
	       "start from the slabs, lists and objects of a machine's /proc/slabinfo or"
	       " /sys/kernel/slab, which is then also the file of --cache-params by default"),
	OPTION_START,
	OPTION_COLD,
	OPTIONS_END,
};
static const struct option machine_options[] = {
	OPTION_ALLOCATOR,
	OPTION_CPUS,
	OPTION_NODES,
	OPTION_PAGE_SIZE,
	OPTION_MEMORY,
	OPTION("zones", WORD, "SPEC", "populated zones of each node, such as 2,2,1,1",
	       .key = "zones"),
	OPTION_PRESET,
	OPTION_SET,
	OPTIONS_END,
};

/* The tables in the order of --help, after the command's own. */
static const struct {
	u32 takes; /* 0: every command does */
	const struct option *options;
	const char *title;
} groups[] = {
	{ TAKES_TRACE, trace_options, "trace" },       { TAKES_START, start_options, "start" },
	{ TAKES_MACHINE, machine_options, "machine" }, { TAKES_JSON, json_options, "output" },
	{ TAKES_ROWS, row_options, "output" },	       { 0, common_options, "output" },
};

/* Returns option i of a command, NULL past the last. */
static const struct option *option_of(const struct command *command, u32 i)
{
	const struct option *o = command->options ? command->options : common_options + 2;

	for (u32 group = 0; o; group++) {
		for (; o->name; o++)
			if (!i--)
				return o;
		while (group < ARRAY_SIZE(groups) && groups[group].takes &&
		       !(command->takes & groups[group].takes))
			group++;
		o = group < ARRAY_SIZE(groups) ? groups[group].options : NULL;
	}
	return NULL;
}

enum { MAX_WORD_BYTES = 63, MAX_PATH_BYTES = 4096, MAX_OPTIONS = 64 };

static u32 edit_distance(const char *a, const char *b)
{
	u32 row[MAX_WORD_BYTES + 1], len = (u32)strnlen(a, MAX_WORD_BYTES);

	for (u32 i = 0; i <= len; i++)
		row[i] = i;
	for (u32 j = 0; b[j]; j++) {
		u32 diagonal = row[0];
		row[0] = j + 1;
		for (u32 i = 0; i < len; i++) {
			u32 change = diagonal + (a[i] != b[j]);
			diagonal = row[i + 1];
			row[i + 1] = MIN(change, MIN(row[i], row[i + 1]) + 1);
		}
	}
	return row[len];
}

const char *nearest_word(const char *word, const char *const *words, u32 nr_words)
{
	u32 len = (u32)strlen(word), best = 0, best_distance = ~0u;

	for (u32 i = 0; i < nr_words; i++) {
		u32 distance = edit_distance(word, words[i]);
		/* An unfinished word means the word that it starts. */
		if (len >= 3 && strncmp(word, words[i], len) == 0)
			distance = 0;
		if (distance < best_distance) {
			best_distance = distance;
			best = i;
		}
	}
	/* With more than every third letter wrong, it's another word, not a typo. */
	return best_distance * 3 <= MAX(len, 3u) ? words[best] : NULL;
}

static const struct option *find_long(const struct command *command, const char *word, size_t len)
{
	static const char older[] = "overlay"; /* the older spelling of --machine-state */
	const struct option *o;

	if (len == sizeof(older) - 1 && memcmp(word, older, len) == 0) {
		word = "machine-state";
		len = strlen(word);
	}
	for (u32 i = 0; (o = option_of(command, i)); i++)
		if (strlen(o->name) == len && memcmp(word, o->name, len) == 0)
			return o;
	return NULL;
}

static int takes(const struct command *command, const char *name)
{
	return find_long(command, name, strlen(name)) != NULL;
}

/* Returns the option as the command line gives it; NULL if it doesn't. */
static const struct given *given_of(const struct args *args, const char *name)
{
	for (u32 i = 0; i < args->nr_given; i++)
		if (strcmp(args->given[i].option->name, name) == 0)
			return &args->given[i];
	return NULL;
}

int given(const struct args *args, const char *name)
{
	return given_of(args, name) != NULL;
}

int given_as(const struct args *args, const char *name, enum option_type type)
{
	const struct given *g = given_of(args, name);

	return g && g->option->type == type;
}

const char *option_text(const struct args *args, const char *name)
{
	const struct given *g = given_of(args, name);

	return g ? g->text : NULL;
}

const char *option_text_or(const struct args *args, const char *name, const char *otherwise)
{
	const char *text = option_text(args, name);

	return text ? text : otherwise;
}

u64 option_or(const struct args *args, const char *name, u64 otherwise)
{
	const struct given *g = given_of(args, name);

	return g ? g->number : otherwise;
}

u64 option_number(const struct args *args, const char *name)
{
	return option_or(args, name, 0);
}

const char *setting_of(const struct args *args, const char *key)
{
	for (u32 i = args->nr_settings; i--;)
		if (strcmp(args->settings[i].key, key) == 0)
			return args->settings[i].value;
	return NULL;
}

static struct given *put(struct args *args, const struct option *option)
{
	u32 i = 0;

	while (i < args->nr_given && strcmp(args->given[i].option->name, option->name) != 0)
		i++;
	KASSERT(i < MAX_GIVEN);
	args->nr_given = MAX(args->nr_given, i + 1);
	args->given[i] = (struct given){ .option = option };
	return &args->given[i];
}

void option_put(struct args *args, const char *name, const char *text)
{
	static struct option options[4];
	static u32 nr;

	for (u32 i = 0; !text && i < args->nr_given; i++)
		if (strcmp(args->given[i].option->name, name) == 0)
			args->given[i] = args->given[--args->nr_given];
	if (!text)
		return;
	struct option *o = &options[nr++ % ARRAY_SIZE(options)];
	*o = (struct option){ name, .type = WORD };
	put(args, o)->text = text;
}

/* Returns the key of the parameter called `name`, with - or _; NULL if there is none. */
static const char *key_named(const char *name)
{
	for (u32 i = 0; i < NR_PARAMS; i++) {
		const char *key = param_key(i);
		u32 n = 0;
		while (key[n] && (name[n] == key[n] || (name[n] == '-' && key[n] == '_')))
			n++;
		if (!key[n] && !name[n])
			return key;
	}
	return NULL;
}

_Noreturn static void unknown_option(const struct command *command, int left, char **argv)
{
	const char *names[MAX_OPTIONS], *dashes = argv[0], *value = strchr(dashes, '='), *nearest;
	char name[MAX_WORD_BYTES + 1];
	u32 nr = 0;

	snprintf(name, sizeof(name), "%s", dashes + strspn(dashes, "-"));
	name[strcspn(name, "=")] = 0;
	if (takes(command, "set") && key_named(name)) {
		value = value ? value + 1 : left > 1 && argv[1][0] != '-' ? argv[1] : "VALUE";
		refuse_call("%s has no option %.80s: to set that parameter, give --set %s=%.40s",
			    command->name, dashes, key_named(name), value);
	}
	if ((key_named(name) || strcmp(name, "set") == 0 || strcmp(name, "preset") == 0) &&
	    !takes(command, "allocator") && !takes(command, "stop"))
		refuse_call("%s has no option %.80s, because it replays nothing: run `slabscope %s "
			    "--help` for a list",
			    command->name, dashes, command->name);
	for (const struct option *o; nr < MAX_OPTIONS && (o = option_of(command, nr)); nr++)
		names[nr] = o->name;
	nearest = nearest_word(name, names, nr);
	if (nearest)
		refuse_call(
			"%s has no option %.80s: did you mean --%s? Run `slabscope %s --help` for a "
			"list",
			command->name, dashes, nearest, command->name);
	refuse_call("%s has no option %.80s: run `slabscope %s --help` for a list", command->name,
		    dashes, command->name);
}

static void add_setting(struct args *args, const char *option, const char *key, const char *value)
{
	if (args->nr_settings == MAX_SETTINGS)
		refuse_call("one command line can set at most %u parameters", (u32)MAX_SETTINGS);
	args->settings[args->nr_settings++] = (struct setting){ key, value, option };
}

static void add_condition(struct args *args, const char *option, const char *value)
{
	if (!value[0])
		refuse_call("--%s needs a value: `slabscope convert --help` explains it", option);
	if (args->nr_conditions == MAX_CONDITIONS)
		refuse_call(
			"you can give at most %u conditions; --%s takes several values with commas between",
			(u32)MAX_CONDITIONS, option);
	args->conditions[args->nr_conditions++] = (struct kmem_choice){ option, value };
}

_Noreturn static void missing_value(const struct option *o)
{
	refuse_call("--%s needs a value: %s", o->name,
		    strcmp(o->name, "preset") == 0 ? preset_names() : o->help);
}

void refuse_0(const char *option)
{
	refuse_call("--%s 0: numbers start from 1, so the first is --%s 1", option, option);
}

/* Reads a number. A number that makes no sense is a typo; accepting it would change it silently or take days. */
static void take_number(struct given *g, const struct option *o, const char *value)
{
	char *end;

	errno = 0;
	g->number = strtoull(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end || errno)
		refuse_call("--%s %.40s: expected a whole number, %u or more", o->name, value,
			    o->type == ORDINAL);
	if (o->type == ORDINAL && !g->number)
		refuse_0(o->name);
	if (o->most && (g->number < o->least || g->number > o->most))
		refuse_call("--%s %s: expected a whole number from %s to %s", o->name,
			    grouped(g->number).s, grouped(o->least).s, grouped(o->most).s);
}

static void take_value(struct args *args, const struct option *o, const char *value)
{
	struct given *g = put(args, o);

	g->text = value;
	if (o->type == WHOLE || o->type == ORDINAL)
		take_number(g, o, value);
	if ((o->key || strcmp(o->name, "preset") == 0) && !value[0])
		missing_value(o);
	if (o->type == CONDITION)
		add_condition(args, o->name, value);
	if (o->type == SETTING) {
		char *copy = strdup(value), *equals = copy ? strchr(copy, '=') : NULL;
		if (!equals || equals == copy || !equals[1])
			refuse_call(
				"--set needs KEY=VALUE, not `%.40s`: run `slabscope params` for a list of keys",
				value);
		*equals = 0;
		add_setting(args, "set", copy, equals + 1);
	}
	if (o->type == MACHINE && args->nr_with == MAX_WITH)
		refuse_call("you can give --with at most %u times", (u32)MAX_WITH);
	if (o->type == MACHINE)
		args->with[args->nr_with++] = value;
	if (o->key)
		add_setting(args, o->name, o->key, value);
}

/* The whole value may be one path with a comma in it. */
static int find_among(const char *value, const char *option,
		      int (*is_wanted)(void *arg, const char *path, const char *option), void *arg)
{
	char path[MAX_PATH_BYTES];

	if (is_wanted(arg, value, option))
		return 1;
	for (size_t len; *value; value += len + (value[len] == ',')) {
		len = strcspn(value, ",");
		snprintf(path, sizeof(path), "%.*s", (int)MIN(len, sizeof(path) - 1), value);
		if (is_wanted(arg, path, option))
			return 1;
	}
	return 0;
}

int args_find_file(const struct args *args, u32 nr_operands,
		   int (*is_wanted)(void *arg, const char *path, const char *option), void *arg)
{
	for (u32 i = 0; i < nr_operands; i++)
		if (is_wanted(arg, args->operands[i], NULL))
			return 1;
	for (u32 i = 0; i < args->nr_given; i++) {
		const struct option *o = args->given[i].option;
		if ((o->type == FILES || o->type == NAMES) &&
		    find_among(args->given[i].text, o->name, is_wanted, arg))
			return 1;
	}
	return 0;
}

/* Returns how many words of argv it used. */
static int take_option(struct args *args, const struct command *command, int left, char **argv)
{
	const char *word = argv[0], *value = NULL;
	const struct option *o;

	if (word[1] == '-') {
		size_t len = strcspn(word + 2, "=");
		o = find_long(command, word + 2, len);
		value = word[2 + len] ? word + 2 + len + 1 : NULL;
	} else {
		for (u32 i = 0; (o = option_of(command, i)) && o->letter != word[1]; i++)
			;
		value = word[1] && word[2] ? word + 2 : NULL;
	}
	if (!o)
		unknown_option(command, left, argv);
	if (!o->value && value)
		refuse_call("--%s takes no value", o->name);
	if (o->value && !value && left < 2)
		missing_value(o);
	if (!o->value)
		put(args, o);
	else
		take_value(args, o, value ? value : argv[1]);
	return o->value && !value ? 2 : 1;
}

void args_parse(struct args *args, const struct command *command, int argc, char **argv)
{
	int options_end = 0, runs_program = strncmp(command->operands, "-- ", 3) == 0;

	for (int i = 2; i < argc;) {
		const char *word = argv[i];
		if (!options_end && strcmp(word, "--") == 0) {
			if (strstr(command->operands, "-- PROGRAM") != NULL) {
				args->program = argv + i + 1;
				break;
			}
			options_end = 1;
			i++;
			continue;
		}
		if (!options_end && word[0] == '-' && word[1]) {
			i += take_option(args, command, argc - i, argv + i);
			continue;
		}
		if (runs_program)
			refuse_call("expected -- before the program: slabscope %s -- %.80s",
				    command->name, word);
		int several = strstr(command->operands, "...") != NULL ||
			      (args->nr_operands == 1 && strstr(command->operands, " [FILE]"));
		if (!command->operands[0] || (args->trace && !several) ||
		    args->nr_operands == MAX_OPERANDS)
			refuse_call("%s takes %s, so `%.80s` is too many", command->name,
				    command->operands[0] ? "one trace" : "no file", word);
		args->operands[args->nr_operands++] = word;
		args->trace = args->operands[0];
		i++;
	}
	int is_markdown = given(args, "markdown");
	if (is_markdown && !given(args, "csv"))
		option_put(args, "csv", "");
	if (given(args, "json") && given(args, "csv"))
		refuse_call("--json and %s exclude each other: give only one of them",
			    is_markdown ? "--markdown" : "--csv");
	if (given(args, "help"))
		return;
	if (runs_program && (!args->program || !args->program[0]))
		refuse_call("%s needs a program: slabscope %s %s", command->name, command->name,
			    command->operands);
	if (!args->trace && !runs_program && command->operands[0] && command->operands[0] != '[')
		refuse_call("%s needs a trace: slabscope %s %s (- is standard input)",
			    command->name, command->name, command->operands);
}

static void print_options(const struct option *o)
{
	for (; o && o->name; o++) {
		char left[48];
		snprintf(left, sizeof(left), "%c%c%s --%s%s%s", o->letter ? '-' : ' ',
			 o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name,
			 o->value ? " " : "", o->value ? o->value : "");
		printf("  %-24s %s\n", left, o->help);
	}
}

void args_print_options(const struct command *command)
{
	const char *title = "";

	if (command->options)
		puts("\noptions:");
	print_options(command->options);
	for (u32 i = 0; i < ARRAY_SIZE(groups); i++) {
		if (groups[i].takes && !(command->takes & groups[i].takes))
			continue;
		if (strcmp(title, groups[i].title) != 0)
			printf("\n%s options:\n", groups[i].title);
		title = groups[i].title;
		print_options(groups[i].options);
	}
}
