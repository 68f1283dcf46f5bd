/*
 * args.c - command line options: parses them by the table of args.h, and explains mistakes.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/host/cli.h"
#include "cli/host/host.h"
#include "cli/text/names.h"

/* ORDINAL: the number of an event, from 1. */
enum option_type { FLAG, TEXT, FILES, NUMBER, ORDINAL };

static const char allocator_help[] = "which allocator replays the trace:"
#define ALLOCATOR(id, name, label, ops) " " name
#include "tables/allocators.def"
	;

static const struct option_def {
	const char *name;
	char letter;
	u8 type;
	const char *value, *key, *help;
} defs[NR_OPTIONS] = {
#define OPTION_DEF(id, name, letter, value, type, key, help) \
	{ name, letter, type, value, key, help },
	OPTIONS
#undef OPTION_DEF
};

enum { MAX_WORD_BYTES = 63, MAX_PATH_BYTES = 4096 };

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
		/* An incomplete word means the word that it begins. */
		if (len >= 3 && strncmp(word, words[i], len) == 0)
			distance = 0;
		if (distance < best_distance) {
			best_distance = distance;
			best = i;
		}
	}
	/* If more than every third letter is wrong, it is another word, not a slip. */
	return best_distance * 3 <= MAX(len, 3u) ? words[best] : NULL;
}

static int takes(const struct command *command, u32 option)
{
	/* Markdown is made of the CSV on standard output; `export` writes its tables to a file. */
	if (option == OPT_MARKDOWN)
		return (command->options & OPTION(CSV)) && !(command->options & OPTION(TABLE));
	return (command->options >> option & 1) != 0;
}

/* Returns the index of the option that `word` names up to its end or `=`, or NR_OPTIONS. */
static u32 find_long(const struct command *command, const char *word, size_t len)
{
	static const char older[] = "overlay"; /* the older spelling of --machine-state */

	if (len == sizeof(older) - 1 && memcmp(word, older, len) == 0 &&
	    takes(command, OPT_MACHINE_STATE))
		return OPT_MACHINE_STATE;
	for (u32 i = 0; i < NR_OPTIONS; i++)
		if (takes(command, i) && strlen(defs[i].name) == len &&
		    memcmp(word, defs[i].name, len) == 0)
			return i;
	return NR_OPTIONS;
}

static u32 find_letter(const struct command *command, char letter)
{
	for (u32 i = 0; i < NR_OPTIONS; i++)
		if (takes(command, i) && defs[i].letter == letter)
			return i;
	return NR_OPTIONS;
}

/* Returns the key of the parameter `name`, written with - or _; NULL if there is none. */
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

/* Whether the option is about the machine of a replay. */
static int is_of_machine(const char *name)
{
	return key_named(name) || strcmp(name, "set") == 0 || strcmp(name, "preset") == 0;
}

static void unknown_option(const struct command *command, int left, char **argv)
{
	const char *names[NR_OPTIONS], *dashes = argv[0], *value = strchr(dashes, '='), *nearest;
	char name[MAX_WORD_BYTES + 1];
	u32 nr = 0;

	snprintf(name, sizeof(name), "%s", dashes + strspn(dashes, "-"));
	name[strcspn(name, "=")] = 0;
	if (takes(command, OPT_SET) && key_named(name)) {
		value = value ? value + 1 : left > 1 && argv[1][0] != '-' ? argv[1] : "VALUE";
		complain("%s has no option %.80s; parameters are set with --set %s=%.40s",
			 command->name, dashes, key_named(name), value);
		return;
	}
	if (is_of_machine(name) && !(command->options & (OPTION(ALLOCATOR) | OPTION(STOP)))) {
		complain("%s has no option %.80s, because it replays nothing; slabscope %s --help "
			 "lists its options",
			 command->name, dashes, command->name);
		return;
	}
	for (u32 i = 0; i < NR_OPTIONS; i++)
		if (takes(command, i))
			names[nr++] = defs[i].name;
	nearest = nearest_word(name, names, nr);
	if (nearest)
		complain("%s has no option %.80s; the nearest is --%s (all: slabscope %s --help)",
			 command->name, dashes, nearest, command->name);
	else
		complain("%s has no option %.80s; slabscope %s --help lists them", command->name,
			 dashes, command->name);
}

static int add_setting(struct args *args, const char *option, const char *key, const char *value)
{
	if (args->nr_settings == MAX_SETTINGS) {
		complain("at most %u parameters can be set on one command line", (u32)MAX_SETTINGS);
		return 0;
	}
	args->settings[args->nr_settings++] = (struct setting){ key, value, option };
	return 1;
}

static int add_condition(struct args *args, const char *option, const char *value)
{
	if (!value[0]) {
		complain("--%s needs a value; slabscope convert --help explains it", option);
		return 0;
	}
	if (args->nr_conditions == MAX_CONDITIONS) {
		complain(
			"at most %u conditions can be given; --%s takes several values between commas",
			(u32)MAX_CONDITIONS, option);
		return 0;
	}
	args->conditions[args->nr_conditions++] = (struct kmem_choice){ option, value };
	return 1;
}

static void missing_value(u32 option)
{
	if (option == OPT_PRESET)
		complain("--preset needs a value: %s", preset_names());
	else
		complain("--%s needs a value: %s", defs[option].name, defs[option].help);
}

/* Rejects numbers that make no sense. They are slips; accepted, they would be changed silently or take days. */
static int check_limits(u32 option, u64 number)
{
	static const struct {
		u32 option, least, most;
	} limits[] = {
		{ OPT_COUNT, 1, 0xffffffff },	 { OPT_MOST, 0, 1 << 24 },
		{ OPT_EVENTS, 1000, 100000000 }, { OPT_LIVE, 1, 1 << 22 },
		{ OPT_JOBS, 1, 1024 },		 { OPT_MOST_EVENTS, 1, 100000000 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(limits); i++) {
		if (limits[i].option != option ||
		    (number >= limits[i].least && number <= limits[i].most))
			continue;
		complain("--%s is a whole number from %s to %s, not %s", defs[option].name,
			 grouped(limits[i].least).s, grouped(limits[i].most).s, grouped(number).s);
		return 0;
	}
	return 1;
}

void refuse_event_0(const char *option)
{
	complain("--%s 0: events are numbered from 1, so the first one is --%s 1", option, option);
}

static int take_value(struct args *args, u32 option, const char *value)
{
	const struct option_def *d = &defs[option];

	args->text[option] = value;
	if (d->type == NUMBER || d->type == ORDINAL) {
		char *end;
		errno = 0;
		args->number[option] = strtoull(value, &end, 10);
		if (value[0] < '0' || value[0] > '9' || *end || errno) {
			complain("--%s needs a whole number from %u on, not `%.40s`", d->name,
				 d->type == ORDINAL, value);
			return 0;
		}
		if (d->type == ORDINAL && !args->number[option]) {
			refuse_event_0(d->name);
			return 0;
		}
		if (!check_limits(option, args->number[option]))
			return 0;
	}
	if ((d->key || option == OPT_PRESET) && !value[0]) {
		missing_value(option);
		return 0;
	}
	if (OPTIONS_FILTER >> option & 1)
		return add_condition(args, d->name, value);
	if (option == OPT_WITH && args->nr_with == MAX_WITH) {
		complain("--with can be given %u times", (u32)MAX_WITH);
		return 0;
	}
	if (option == OPT_WITH)
		args->with[args->nr_with++] = value;
	if (d->key)
		return add_setting(args, d->name, d->key, value);
	if (option != OPT_SET)
		return 1;
	char *copy = strdup(value), *equals = copy ? strchr(copy, '=') : NULL;
	if (!equals || equals == copy || !equals[1]) {
		complain("--set needs KEY=VALUE, not `%.40s`; slabscope params lists the keys",
			 value);
		free(copy);
		return 0;
	}
	*equals = 0;
	return add_setting(args, d->name, copy, equals + 1);
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
	for (u32 i = 0; i < NR_OPTIONS; i++)
		if (defs[i].type == FILES && (args->given >> i & 1) &&
		    find_among(args->text[i], defs[i].name, is_wanted, arg))
			return 1;
	return 0;
}

/* Returns how many words of argv it used, 0 if the call is bad. */
static int take_option(struct args *args, const struct command *command, int left, char **argv)
{
	const char *word = argv[0], *value = NULL;
	int is_long = word[1] == '-';
	u32 option;

	if (is_long) {
		size_t len = strcspn(word + 2, "=");
		option = find_long(command, word + 2, len);
		value = word[2 + len] ? word + 2 + len + 1 : NULL;
	} else {
		option = find_letter(command, word[1]);
		value = word[1] && word[2] ? word + 2 : NULL;
	}
	if (option == NR_OPTIONS) {
		unknown_option(command, left, argv);
		return 0;
	}
	args->given |= (option_set)1 << option;
	if (!defs[option].value) {
		if (value)
			complain("--%s takes no value", defs[option].name);
		return !value;
	}
	if (value)
		return take_value(args, option, value);
	if (left < 2) {
		missing_value(option);
		return 0;
	}
	return take_value(args, option, argv[1]) ? 2 : 0;
}

static int takes_program(const struct command *command)
{
	return strstr(command->operands, "-- PROGRAM") != NULL;
}

static int needs_program(const struct command *command)
{
	return strncmp(command->operands, "-- ", 3) == 0;
}

int args_parse(struct args *args, const struct command *command, int argc, char **argv)
{
	int options_end = 0;

	for (int i = 2; i < argc;) {
		const char *word = argv[i];
		if (!options_end && strcmp(word, "--") == 0) {
			if (takes_program(command)) {
				args->program = argv + i + 1;
				break;
			}
			options_end = 1;
			i++;
			continue;
		}
		if (!options_end && word[0] == '-' && word[1]) {
			int used = take_option(args, command, argc - i, argv + i);
			if (!used)
				return 0;
			i += used;
			continue;
		}
		if (needs_program(command)) {
			complain("expected -- before the program: slabscope %s -- %.80s",
				 command->name, word);
			return 0;
		}
		int several = strstr(command->operands, "...") != NULL ||
			      (args->nr_operands == 1 && strstr(command->operands, " [FILE]"));
		if (!command->operands[0] || (args->trace && !several) ||
		    args->nr_operands == MAX_OPERANDS) {
			complain("%s takes %s, so `%.80s` is one word too many", command->name,
				 command->operands[0] ? "one trace" : "no file", word);
			return 0;
		}
		args->operands[args->nr_operands++] = word;
		args->trace = args->operands[0];
		i++;
	}
	if (GIVEN(args, MARKDOWN))
		args->given |= OPTION(CSV);
	if (GIVEN(args, JSON) && GIVEN(args, CSV)) {
		complain("--json and %s exclude each other: give one of them",
			 GIVEN(args, MARKDOWN) ? "--markdown" : "--csv");
		return 0;
	}
	if (needs_program(command) && !GIVEN(args, HELP) && (!args->program || !args->program[0])) {
		complain("%s needs a program: slabscope %s %s", command->name, command->name,
			 command->operands);
		return 0;
	}
	if (!args->trace && !needs_program(command) && command->operands[0] &&
	    command->operands[0] != '[' && !GIVEN(args, HELP)) {
		complain("%s needs a trace: slabscope %s %s (- is standard input)", command->name,
			 command->name, command->operands);
		return 0;
	}
	return 1;
}

void args_print_options(const struct command *command)
{
	for (u32 i = 0; i < NR_OPTIONS; i++) {
		const struct option_def *d = &defs[i];
		char left[48];
		if (!takes(command, i))
			continue;
		snprintf(left, sizeof(left), "%c%c%s --%s%s%s", d->letter ? '-' : ' ',
			 d->letter ? d->letter : ' ', d->letter ? "," : " ", d->name,
			 d->value ? " " : "", d->value ? d->value : "");
		printf("  %-24s %s\n", left, d->help);
	}
}
