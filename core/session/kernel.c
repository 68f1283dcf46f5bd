/*
 * kernel.c - selects the modelled kernel.
 *
 * The preset named by the user or the trace wins. Otherwise the nearest preset to the kernel that
 * recorded the trace applies, else the default.
 */
#include "alloc/ops.h"
#include "session/session.h"

static const char default_preset[] = "linux-6.1";

/* Versions that an unnamed kernel reveals in other ways, by enum kernel_sign; the last one comes from a snapshot. */
static const struct {
	const char *release, *because;
} signs[] = {
	[SIGN_NAMED_ALLOCATIONS] = { "6.18", ", because since 6.18 an allocation names its cache" },
	[SIGN_NODE_EVENTS] = { "5.14", ", because only kernels before 6.1 have kmalloc_node" },
	[SIGN_NAMELESS_FREES] = { "5.10", ", because since 5.12 a free names its cache" },
	{ "7.0", ", because most caches of the machine have sheaves" },
};

static u32 sign_of(const struct kmem_session *s)
{
	const struct session_import *im = &s->import;
	const struct machine_state *const states[] = { &im->warm, &im->before, &im->machine_state };

	/* Caches made from a snapshot have its sheaves anyway. */
	for (u32 i = 0; i < ARRAY_SIZE(states); i++)
		if (!states[i]->is_reading && machine_state_has_sheaves(states[i]))
			return ARRAY_SIZE(signs) - 1;
	return s->trace.kernel_sign;
}

s32 session_choose_kernel(struct kmem_session *s)
{
	u32 sign = s->import.kernel_sign = sign_of(s);

	params_forget(&s->params, FROM_KERNEL);
	if (s->trace.kernel[0])
		return kernel_choose(&s->params, s->trace.kernel);
	return sign ? kernel_choose(&s->params, signs[sign].release) : KMEM_OK;
}

static void add_reason(struct text *t, enum params_origin origin, const char *name,
		       const char *recorded, u32 sign)
{
	u32 part[NR_RELEASE_PARTS], oldest[NR_RELEASE_PARTS];

	if (origin == FROM_KERNEL && sign && !recorded[0]) {
		text_add(t, signs[sign].because);
		return;
	}
	if (origin == FROM_DEFAULT) {
		text_add(t, ", the default: the trace does not name its kernel");
		return;
	}
	if (origin != FROM_KERNEL) {
		text_add(t, origin == FROM_PRESET ? ", the preset you set"
						  : ", which the trace asks for");
		if (recorded[0])
			text_print(t, "; the trace was recorded on Linux %s", recorded);
		return;
	}
	release_version(recorded, part);
	preset_version(0, oldest);
	if (release_is_of_preset(name, recorded)) {
		text_add(t, ", because the trace was recorded on Linux ");
	} else if (release_is_newer(oldest, part)) {
		text_add(t, ", the oldest preset; the trace was recorded on Linux ");
	} else {
		text_add(t, ", the newest preset that is not newer than the trace's Linux ");
	}
	text_add(t, recorded);
}

const struct kmem_kernel *kmem_kernel(struct kmem_session *s)
{
	/* Sources in order of precedence; see params.h. */
	static const u8 origins[] = { FROM_TRACE, FROM_PRESET, FROM_TRACE_PRESET, FROM_KERNEL };
	struct text t = text_in(s->out.kernel_text, sizeof(s->out.kernel_text));
	enum params_origin origin = FROM_DEFAULT;
	const char *name = default_preset;
	u32 allocator = (u32)params_get(&s->params, PARAM_ALLOCATOR);

	for (u32 i = 0; i < ARRAY_SIZE(origins) && origin == FROM_DEFAULT; i++) {
		if (!params_preset_of(&s->params, (enum params_origin)origins[i]))
			continue;
		origin = (enum params_origin)origins[i];
		name = params_preset_of(&s->params, origin);
	}
	text_add(&t, name);
	add_reason(&t, origin, name, s->trace.kernel, s->import.kernel_sign);
	if (ops_of(allocator)->no_presets)
		text_print(&t, "; presets do not change %s", allocator_name(allocator));
	s->out.kernel.preset_at = session_offset(s, s->out.kernel_name);
	struct text copy = text_in(s->out.kernel_name, sizeof(s->out.kernel_name));
	text_add(&copy, name);
	s->out.kernel.recorded_at = s->trace.kernel[0] ? session_offset(s, s->trace.kernel) : 0;
	s->out.kernel.words_at = session_offset(s, s->out.kernel_text);
	s->out.kernel.chosen_by = origin == FROM_DEFAULT  ? KERNEL_BY_DEFAULT
				  : origin == FROM_KERNEL ? KERNEL_BY_RECORDING
				  : origin == FROM_PRESET ? KERNEL_BY_USER
							  : KERNEL_BY_TRACE;
	return &s->out.kernel;
}
