/* A text as one word of a POSIX shell: in commands that a message gives, and in scripts. */
#ifndef HT_SHELL_WORD_H
#define HT_SHELL_WORD_H

#include <stdio.h>

/* Bytes that the word of a text of so many bytes takes at most, with its end. */
#define HT_SHELL_WORD_MAX(length) (4 * (length) + 3)

/* Writes the text as the shell has to be given it to get exactly this text: as it is where no
 * character is special, else in single quotes; in double quotes where it has a ' and nothing that
 * acts in these (POSIX.1-2017, Shell Command Language, 2.2; an interactive shell also expands !).
 */
void ht_shell_put(FILE *stream, const char *text);

/* The same into `word`, cut short where `size` is too small. */
void ht_shell_word(const char *text, char *word, size_t size);

#endif
