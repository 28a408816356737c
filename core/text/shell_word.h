/* A text as one word of a POSIX shell: in commands that a message gives, and in scripts. */
#ifndef HT_SHELL_WORD_H
#define HT_SHELL_WORD_H

#include <stdio.h>

/* Maximum number of bytes of the word of a text of `length` bytes, with its end. */
#define HT_SHELL_WORD_MAX(length) (4 * (length) + 3)

/* Writes the text so that the shell reads exactly this text: as it is where no character is
 * special, else in single quotes, or in double quotes where it has a ' and nothing that is special
 * in these (POSIX.1-2017, Shell Command Language, 2.2; an interactive shell also expands !). */
void ht_shell_put(FILE *stream, const char *text);

/* Writes the same word into `word`, cut short where `size` is too small. */
void ht_shell_word(const char *text, char *word, size_t size);

#endif
