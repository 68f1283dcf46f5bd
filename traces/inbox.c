/* inbox.c - a mailbox with two faults, for the lesson "Your own program": cc -g -o inbox inbox.c && slabscope record -- ./inbox */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_DAY = 600, SECOND_DAY = 150, LINE_BYTES = 100, BODY_BYTES = 600 };

struct message {
	char *subject, *body;
	int day, is_starred;
};

static struct message *inbox[FIRST_DAY + SECOND_DAY];
static int nr_messages;

/* As it comes from the network: "12 Subject of message 7". Every 25th has no day. */
static char *read_line(int number)
{
	char *line = malloc(LINE_BYTES);

	snprintf(line, LINE_BYTES, "%s Subject of message %d", number % 25 ? "12" : "??", number);
	return line;
}

static char *copy(const char *text)
{
	return strcpy(malloc(strlen(text) + 1), text);
}

static char *read_body(int number)
{
	int length = BODY_BYTES / 3 + number * 37 % BODY_BYTES;

	return memset(malloc(length), 'x', length);
}

static int receive(int number)
{
	char *line = read_line(number);
	int day = atoi(line);

	if (day == 0)
		return 0; /* the leak: nobody frees the line */
	struct message *m = malloc(sizeof(*m));
	*m = (struct message){ copy(strchr(line, ' ') + 1), read_body(number), day, number % 16 == 1 };
	inbox[nr_messages++] = m;
	free(line);
	return 1;
}

/* Only starred messages stay, a few on each slab. */
static void clean_up(void)
{
	int kept = 0;

	for (int i = 0; i < nr_messages; i++) {
		if (inbox[i]->is_starred) {
			inbox[kept++] = inbox[i];
			continue;
		}
		free(inbox[i]->body);
		free(inbox[i]->subject);
		free(inbox[i]);
	}
	nr_messages = kept;
}

int main(void)
{
	int bad = 0;

	for (int i = 1; i <= FIRST_DAY; i++)
		bad += !receive(i);
	clean_up();
	for (int i = 1; i <= SECOND_DAY; i++)
		bad += !receive(FIRST_DAY + i);
	printf("%d messages, %d without a date\n", nr_messages, bad);
	return 0;
}
