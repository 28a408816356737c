#include "core/formats/csv_cell.h"
#include <string.h>

static const char digits[] = "0123456789";

/* Returns 1 for a sign, digits with at most one point or comma, an exponent, a percent sign. */
static int is_number(const char *text) {
  text += *text == '+' || *text == '-';
  size_t whole = strspn(text, digits), part = 0;
  text += whole;
  if (*text == '.' || *text == ',') {
    part = strspn(text + 1, digits);
    text += 1 + part;
  }
  if (whole + part == 0) return 0;
  if (*text == 'e' || *text == 'E') {
    const char *power = text + 1 + (text[1] == '+' || text[1] == '-');
    if (!strspn(power, digits)) return 0;
    text = power + strspn(power, digits);
  }
  text += strspn(text, " ");
  text += *text == '%';
  return *text == 0;
}

static int begins_formula(const char *text) {
  static const char *const wide[] = {"\uff1d", "\uff0b", "\uff0d", "\uff20"};
  for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
    if (strncmp(text, wide[i], strlen(wide[i])) == 0) return 1;
  if (!*text || !strchr("=+-@\t\r\n", *text)) return 0;
  if ((*text == '+' || *text == '-') && !text[1]) return 0;
  return !is_number(text);
}

void ht_csv_put(FILE *stream, const char *text) {
  const int is_quoted = strpbrk(text, ",;\t\"\n\r") != NULL;
  if (is_quoted) fputc('"', stream);
  if (begins_formula(text)) fputc('\'', stream);
  for (; *text; text++) {
    if (*text == '"') fputc('"', stream);
    fputc(*text, stream);
  }
  if (is_quoted) fputc('"', stream);
}
