/*
 * markdown.c - see markdown.h. A row of CSV is a line here: csv_text() writes line feeds inside a field as \x0a.
 */
#define _GNU_SOURCE
#include "cli/text/markdown.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t filter_pid;

/* Prints a field and returns what follows it: the comma, or the end of the line. */
static const char *put_field(const char *p)
{
	int is_quoted = *p == '"';

	putchar(' ');
	for (p += is_quoted; *p; p++) {
		if (is_quoted && *p == '"' && *++p != '"')
			break;
		if (!is_quoted && *p == ',')
			break;
		/* These would end the cell, begin a tag or escape the next character. */
		if (*p == '|' || *p == '<' || *p == '\\')
			putchar('\\');
		putchar(*p);
	}
	fputs(" |", stdout);
	return p;
}

static void put_row(const char *line, int is_head)
{
	unsigned nr = 0;

	putchar('|');
	for (const char *p = line;; p++) {
		p = put_field(p);
		nr++;
		if (!*p)
			break;
	}
	fputs(is_head ? "\n|" : "\n", stdout);
	for (; is_head && nr; nr--)
		fputs(nr > 1 ? " --- |" : " --- |\n", stdout);
}

/* Reads tables until the end: an empty line, or one that begins with #, ends a table. */
static int filter(void)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	int is_head = 1;

	while ((len = getline(&line, &room, stdin)) > 0) {
		while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
			line[--len] = 0;
		if (len && line[0] != '#') {
			put_row(line, is_head);
			is_head = 0;
			continue;
		}
		printf("%s\n", line + (len > 1 ? 2 : len));
		if (len)
			putchar('\n');
		is_head = 1;
	}
	free(line);
	return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int markdown_begin(void)
{
	int ends[2];

	if (pipe(ends) < 0)
		return 0;
	filter_pid = fork();
	if (filter_pid == 0) {
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		_exit(filter());
	}
	int moved = filter_pid > 0 && dup2(ends[1], STDOUT_FILENO) >= 0;
	close(ends[0]);
	close(ends[1]);
	return moved;
}

int markdown_end(void)
{
	int how = 0;

	if (!filter_pid)
		return 1;
	close(STDOUT_FILENO);
	return waitpid(filter_pid, &how, 0) == filter_pid && WIFEXITED(how) &&
	       WEXITSTATUS(how) == EXIT_SUCCESS;
}
