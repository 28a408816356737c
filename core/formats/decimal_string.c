#include "core/formats/decimal_string.h"
#include <stdio.h>
#include <string.h>

void ht_decimal_string(double value, char text[HT_DECIMAL_STRING]) {
  if (value == 0) value = 0; /* no "-0" */
  for (int digits = 17; digits > 0; digits--) {
    snprintf(text, HT_DECIMAL_STRING, "%.*g", digits, value);
    if (strlen(text) <= 16) break;
  }
}
