#include "core/text/number_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

double ht_number_read(const char *text, char **end) {
  const char *at = text + strspn(text, " \t\r\n\v\f");
  at += *at == '+' || *at == '-';
  *end = (char *)text;
  if (!isdigit((unsigned char)*at) && *at != '.') return 0;
  if (at[0] != '0' || tolower((unsigned char)at[1]) != 'x') return strtod(text, end);
  *end = (char *)at + 1;
  return 0;
}
