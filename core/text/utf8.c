#include "core/text/utf8.h"
#include <string.h>

/* Returns 1 where the second byte may follow the first (RFC 3629, section 4). */
static int is_second(unsigned first, unsigned second) {
  unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  return second >= least && second <= most;
}

int ht_utf8_bytes(const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  if (at[0] < 0x80) return 1;
  if (at[0] < 0xc2 || at[0] > 0xf4 || !is_second(at[0], at[1])) return 0;
  int bytes = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
  for (int i = 2; i < bytes; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  return bytes;
}

int ht_utf8_fit(const char *text, size_t size) {
  size_t length = strlen(text);
  if (length < size) return (int)length;
  for (length = size - 1; length > 0 && (text[length] & 0xc0) == 0x80;) length--;
  return (int)length;
}

int ht_utf8_extra(const char *text) {
  int extra = 0;
  for (; *text; text++) extra += (*text & 0xc0) == 0x80;
  return extra;
}

int ht_utf8_width(int least, const char *first, size_t stride, int count) {
  int width = least;
  for (int i = 0; i < count; i++) {
    const char *text = first + (size_t)i * stride;
    int length = (int)strlen(text) - ht_utf8_extra(text);
    if (length > width) width = length;
  }
  return width;
}
