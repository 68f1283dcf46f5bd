/*
 * markdown.h - prints the CSV of any command as Markdown tables.
 */
#ifndef CLI_TEXT_MARKDOWN_H
#define CLI_TEXT_MARKDOWN_H

/* From now on, CSV on standard output becomes Markdown there, in a process of its own. 0 if none could be started. */
int markdown_begin(void);
/* Waits until all of it is written; flush standard output first. 0 if the other process failed. */
int markdown_end(void);

#endif
