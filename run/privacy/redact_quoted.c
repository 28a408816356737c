/* Removes what a message quotes: an allow-list. */
#define _POSIX_C_SOURCE 200809L
#include "run/privacy/redact.h"
#include "run/privacy/redact_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARK_BEGIN = 2, MARK_END = 3, DIGITS_MOST = 3, LABEL_DIGITS = 12, ENDING_MOST = 9 };

static struct {
  int count, room;
  char **text;
  int keeps; /* 1: nothing is removed */
} allowed;

void ht_redact_allow_nothing(void) {
  for (int i = 0; i < allowed.count; i++) free(allowed.text[i]);
  free(allowed.text);
  memset(&allowed, 0, sizeof allowed);
}

void ht_redact_keep(int keep) {
  allowed.keeps = keep;
}

int ht_redact_keeps(void) {
  return allowed.keeps;
}

static int is_allowed(const char *text, size_t length) {
  for (int i = 0; i < allowed.count; i++)
    if (strncmp(allowed.text[i], text, length) == 0 && allowed.text[i][length] == 0) return 1;
  return 0;
}

void ht_redact_allow(const char *text) {
  const size_t length = strlen(text);
  if (length == 0 || is_allowed(text, length) ||
      !ht_redact_grow((void **)&allowed.text, allowed.count, &allowed.room, sizeof *allowed.text))
    return;
  allowed.text[allowed.count] = strdup(text);
  allowed.count += allowed.text[allowed.count] != NULL;
}

/* ---- What may stay ---- */

/* Returns 1 for "folder-0123456789ab", "file-0123456789ab.nii.gz"; "DIR", "DIR/case.yaml". */
static int is_label(const char *text, size_t length) {
  static const char *const kinds[] = {"folder-", "file-"};
  if (length >= 3 && strncmp(text, "DIR", 3) == 0)
    return length == 3 || (text[3] == '/' && ht_redact_own_name(text + 4) == length - 4);
  for (int k = 0; k < 2; k++) {
    const size_t kind = strlen(kinds[k]);
    if (strncmp(text, kinds[k], kind) != 0 ||
        strspn(text + kind, "0123456789abcdef") < LABEL_DIGITS)
      continue;
    const size_t ending = length - kind - LABEL_DIGITS;
    return ending <= ENDING_MOST &&
           strspn(text + kind + LABEL_DIGITS, ".abcdefghijklmnopqrstuvwxyz") >= ending;
  }
  return 0;
}

/* Returns 1 for "27.1,-14.8,-38". */
static int is_place(const char *text, size_t length) {
  if (length > 4 && (strncmp(text, "ras:", 4) == 0 || strncmp(text, "lps:", 4) == 0))
    text += 4, length -= 4;
  return memchr(text, ',', length) && memchr(text, '.', length) &&
         strspn(text, "0123456789.,-+") >= length;
}

static int is_of_token(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/* Returns 1 where all words are hemotile's own, with at most one number of a few digits:
 * "outlet-2", "flow.cycles=3", "steady: false". Anything beyond ASCII is not its own. */
static int is_of_own_words(const char *text, size_t length) {
  int numbers = 0;
  for (size_t at = 0; at < length;) {
    size_t end = at, digits = 0;
    while (end < length && is_of_token(text[end]))
      digits += isdigit((unsigned char)text[end++]) != 0;
    const size_t token = end - at;
    if (token == 0 && (unsigned char)text[at] >= 0x80) return 0;
    if (token > 0 && digits == token) {
      if (token > DIGITS_MOST || ++numbers > 1) return 0;
    } else if (token > 0 && !is_allowed(text + at, token)) {
      return 0;
    }
    at = token ? end : at + 1;
  }
  return 1;
}

static int is_known(const char *text, size_t length) {
  return is_allowed(text, length) || is_label(text, length) || is_place(text, length) ||
         is_of_own_words(text, length);
}

/* Returns 1 for text that may stay, also "scan=folder-0123456789ab". */
static int may_stay(const char *text, size_t length) {
  const char *value = memchr(text, '=', length);
  if (is_known(text, length)) return 1;
  if (!value) return 0;
  const size_t name = (size_t)(value - text);
  return is_of_own_words(text, name) && is_known(value + 1, length - name - 1);
}

/* ---- What is quoted ---- */

/* Returns 1 where a quote opens at `at`: no apostrophe in or after a word ("the patient's", "the
 * openings'"). */
static int opens(const char *text, const char *at) {
  return (*at == '\'' || *at == '"') && (at == text || !ht_redact_is_of_name(at[-1])) && at[1];
}

static int closes(const char *open, const char *at) {
  return *at == *open && at > open && !ht_redact_is_of_name(at[1]);
}

/* Returns the end of the quote that opens there. A text that may stay ends at its first closing
 * sign; for another the last one before the next quoted text counts, because it may hold such signs
 * itself. Without one it continues to the end. */
static const char *end_of_quote(const char *text, const char *open, int *stays) {
  const char *last = NULL;
  *stays = 0;
  for (const char *at = open + 1; *at; at++) {
    if (closes(open, at)) {
      if (!last && may_stay(open + 1, (size_t)(at - open - 1))) {
        *stays = 1;
        return at;
      }
      last = at;
    } else if (last && opens(text, at)) {
      return last;
    }
  }
  return last ? last : open + strlen(open);
}

static const char *end_of_mark(const char *begin, int *stays) {
  const char *end = begin + strcspn(begin + 1, "\003") + 1, *next = strchr(begin + 1, MARK_BEGIN);
  for (const char *more; *end && (more = strchr(end + 1, MARK_END)) && !(next && more > next);)
    end = more; /* the text has such a sign itself */
  *stays = may_stay(begin + 1, (size_t)(end - begin - 1));
  return end;
}

/* ---- Removing it ---- */

typedef struct {
  char *text;
  size_t size, end;
} writer;

static void put(writer *to, const char *from, size_t length) {
  for (size_t i = 0; i < length && to->end + 1 < to->size; i++) to->text[to->end++] = from[i];
}

/* Returns where the text continues after the span that begins there. */
static const char *put_span(writer *to, const char *copy, const char *at, int *found) {
  int stays;
  const int is_mark = *at == MARK_BEGIN;
  const char *end = is_mark ? end_of_mark(at, &stays) : end_of_quote(copy, at, &stays);
  if (allowed.keeps) stays = 1;
  if (!is_mark) put(to, at, 1);
  if (stays)
    put(to, at + 1, (size_t)(end - at - 1));
  else
    put(to, "[removed]", 9), *found = 1;
  if (*end && !is_mark) put(to, end, 1);
  return *end ? end + 1 : end;
}

int ht_redact_quoted(char *text, size_t size) {
  int found = 0;
  if (!strpbrk(text, "'\"\002\003")) return 0;
  char *copy = strdup(text);
  writer to = {text, size, 0};
  for (const char *at = copy; copy && *at;) {
    if (*at == MARK_BEGIN || (!allowed.keeps && opens(copy, at))) {
      at = put_span(&to, copy, at, &found);
      continue;
    }
    if (*at != MARK_END) put(&to, at, 1);
    at++;
  }
  if (copy) text[to.end] = 0;
  if (!copy) snprintf(text, size, "[no memory]"), found = 1;
  free(copy);
  return found;
}
