/* Words for a shell: what the shell makes of them is the text, and ordinary ones are easy to read.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"
#include "core/text/shell_word.h"
#include <stdlib.h>
#include <string.h>

static const char *const texts[] = {"plain/path-1_2.3",
                                    "",
                                    "with blanks  twice",
                                    "it's",
                                    "O'Brien's scan",
                                    "it's $HOME",
                                    "$HOME",
                                    "`echo no`",
                                    "it's `a`",
                                    "a\"b",
                                    "it's \"quoted\" \\",
                                    "back\\slash",
                                    "star*?[a]",
                                    "~/case",
                                    "two\nlines",
                                    "it's\ntwo",
                                    "wow!",
                                    "it's a wow!",
                                    "a;b&c|d",
                                    "''",
                                    "\xc3\xa4\xc3\xb6 'x'",
                                    "#case",
                                    "(a) <b> {c,d}",
                                    "a=b c"};

/* Runs /bin/sh on the word and returns the text that it prints. */
static void echo(const char *word, char *text, size_t size) {
  char command[512];
  snprintf(command, sizeof command, "printf %%s %s", word);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  size_t length = fread(text, 1, size - 1, pipe);
  text[length] = 0;
  assert_int_equal(pclose(pipe), 0);
}

static void test_shell_gives_it_back(void **unused) {
  (void)unused;
  char word[256], got[256], put[256] = "";
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    ht_shell_word(texts[t], word, sizeof word);
    assert_true(strlen(word) < HT_SHELL_WORD_MAX(strlen(texts[t])));
    echo(word, got, sizeof got);
    assert_string_equal(got, texts[t]);
    FILE *stream = fmemopen(put, sizeof put, "w");
    ht_shell_put(stream, texts[t]);
    fclose(stream);
    assert_string_equal(put, word);
  }
}

static void test_reads_well(void **unused) {
  static const char *const pair[][2] = {{"cases/p-01", "cases/p-01"},
                                        {"my case", "'my case'"},
                                        {"O'Brien's scan", "\"O'Brien's scan\""},
                                        {"it's $5", "'it'\\''s $5'"},
                                        {"", "''"}};
  (void)unused;
  char word[64];
  for (size_t p = 0; p < sizeof pair / sizeof *pair; p++) {
    ht_shell_word(pair[p][0], word, sizeof word);
    assert_string_equal(word, pair[p][1]);
  }
}

/* Each ' takes four bytes; a buffer that is too small is not overrun. */
static void test_sizes(void **unused) {
  (void)unused;
  char word[HT_SHELL_WORD_MAX(3)];
  ht_shell_word("'!'", word, sizeof word);
  assert_string_equal(word, "''\\''!'\\'''");
  char small[5] = "....";
  ht_shell_word("a long text", small, sizeof small);
  assert_string_equal(small, "'a l");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shell_gives_it_back),
      cmocka_unit_test(test_reads_well),
      cmocka_unit_test(test_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
