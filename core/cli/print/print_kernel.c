/*
 * print_kernel.c - prints the modelled kernel, for every command that runs a machine.
 */
#include <string.h>

#include "cli/print/print.h"
#include "cli/text/names.h"

struct kernel kernel_of(const struct host *h)
{
	struct kernel k = { .row = *kmem_kernel(h->session) };

	snprintf(k.preset, sizeof(k.preset), "%s", host_text(h, k.row.preset_at));
	snprintf(k.recorded, sizeof(k.recorded), "%s", host_text(h, k.row.recorded_at));
	snprintf(k.words, sizeof(k.words), "%s", host_text(h, k.row.words_at));
	snprintf(k.caches, sizeof(k.caches), "%s", kmem_cache_params_text(h->session));
	snprintf(k.start, sizeof(k.start), "%s", kmem_warm_text(h->session));
	k.warm = *kmem_warm(h->session);
	k.start_from = kmem_start_from(h->session);
	k.from = kmem_from(h->session);
	return k;
}

const char *mark(u32 from)
{
	return enum_words("kmem_from", from);
}

void from_json(struct json *j, u32 from)
{
	json_text(j, "from", enum_name("kmem_from", from).s);
}

void from_csv(u32 from)
{
	printf(",%s\n", enum_name("kmem_from", from).s);
}

void from_of_json(struct json *j, const char *marks)
{
	char key[MAX_KEY_BYTES], word[MAX_KEY_BYTES];
	int len = 0;

	json_row(j, "from_of");
	for (; sscanf(marks, "%47[^=]=%47[^,]%n", key, word, &len) == 2; marks += len) {
		json_text(j, key, word);
		marks += marks[len] == ',';
	}
	json_end(j);
}

const char *measure_mark(u32 measure, u32 from)
{
	if (measure == NUM_REQUESTED_BYTES || measure == NUM_LARGE_BYTES ||
	    measure == NUM_LIVE_OBJECTS)
		return mark(FROM_MEASURED);
	return measure < NUM_LIVE_OBJECTS ? mark(from) : "";
}

void measured_print(const struct host *h, u32 indent)
{
	const char *text = kmem_measured_text(h->session);

	if (!*text)
		return;
	printf("%*s", (int)indent, "");
	print_wrapped(plain(text), indent);
}

/* Slabs and objects from before event 1, which no counter counts, and the frees that concern these. */
static void warm_json(struct json *j, const struct kmem_warm *warm)
{
	json_object(j, "begins_with");
	json_bool(j, "is_inferred", warm->inferred != 0);
	json_number(j, "slabs", warm->slabs);
	json_number(j, "objects", warm->objects);
	json_number(j, "free_objects", warm->room);
	json_number(j, "frees", warm->frees);
	json_number(j, "unknown_frees", warm->unknown);
	json_end(j);
}

const char *kernel_choice(const struct kernel *k)
{
	/* Words that go on say that presets change nothing. */
	if (k->row.chosen_by != KERNEL_BY_DEFAULT || strchr(k->words, ';'))
		return "";
	return "; --preset NAME sets another, `slabscope params --presets` lists them";
}

void kernel_head(const struct host *h)
{
	const struct kernel k = kernel_of(h);
	const char *start = enum_words("kmem_start_from", k.start_from), *guess = "";

	if (k.from == FROM_GUESS)
		guess = k.start_from == START_SNAPSHOT || k.start_from == START_KERNEL_STATE
				? ", a guess in part"
				: ", a guess";
	/* The words go on to explain the start. */
	const char *no_presets = "; presets do not change ", *other = strstr(k.words, no_presets);
	printf("%s · start from %.*s%s · cycles are the model's\n",
	       other ? other + strlen(no_presets) : k.preset, (int)strcspn(start, ":,"), start,
	       guess);
}

void kernel_print(const struct kernel *k, u32 indent)
{
	printf("%*skernel modelled: %s%s\n", (int)indent, "", k->words, kernel_choice(k));
	if (k->caches[0])
		printf("%*scaches: %s\n", (int)indent, "", k->caches);
	if (k->start[0])
		printf("%*s%s\n", (int)indent, "", k->start);
}

void kernel_note(const struct kernel *k, int quiet)
{
	if (!quiet)
		complain("kernel modelled: %s%s", k->words, kernel_choice(k));
}

void kernel_json(struct json *j, const struct kernel *k)
{
	json_object(j, "kernel");
	json_text(j, "preset", k->preset);
	json_text_or_null(j, "recorded", k->recorded);
	json_text(j, "chosen_by", enum_name("kmem_kernel_choice", k->row.chosen_by).s);
	json_text(j, "words", k->words);
	json_text_or_null(j, "cache_params", k->caches);
	if (k->start[0])
		json_text(j, "start", k->start);
	json_text(j, "start_from", enum_name("kmem_start_from", k->start_from).s);
	if (k->warm.slabs)
		warm_json(j, &k->warm);
	json_end(j);
	from_json(j, k->from);
}

void kernel_print_now(const struct host *h, u32 indent)
{
	struct kernel k = kernel_of(h);

	kernel_print(&k, indent);
}

void kernel_note_now(const struct host *h)
{
	struct kernel k = kernel_of(h);

	kernel_note(&k, h->quiet);
}

void kernel_json_now(struct json *j, const struct host *h)
{
	struct kernel k = kernel_of(h);

	kernel_json(j, &k);
}
