#define _GNU_SOURCE
#include "core/formats/uid.h"
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { BYTES = 16 };

/* Characters of 97 UIDs of 100 (or one more). Shorter ones are not taken, so that DICOM files of
 * the same content have the same size. */
enum { USUAL_LENGTH = 43 };

/* Divides the number by ten in place, most significant byte first; returns the remainder, the last
 * decimal digit. */
static int take_digit(unsigned char byte[BYTES]) {
  int rest = 0;
  for (int i = 0; i < BYTES; i++) {
    int value = 256 * rest + byte[i];
    byte[i] = (unsigned char)(value / 10);
    rest = value % 10;
  }
  return rest;
}

/* Writes a UID. `version` 4: of random numbers; 8: of a hash (RFC 9562). Uses up the bytes. */
static void write_uid(unsigned char byte[BYTES], int version, char uid[HT_UID_TEXT]) {
  char digits[40]; /* 2^128 has 39 */
  int first = sizeof digits - 1;
  static const unsigned char nothing[BYTES];
  byte[6] = (unsigned char)((byte[6] & 0x0f) | version << 4);
  byte[8] = (unsigned char)((byte[8] & 0x3f) | 0x80);
  digits[first] = 0;
  while (first > 0 && memcmp(byte, nothing, BYTES) != 0)
    digits[--first] = (char)('0' + take_digit(byte));
  snprintf(uid, HT_UID_TEXT, "2.25.%s", digits + first);
}

void ht_uid_of_hash(const char *hex, char uid[HT_UID_TEXT]) {
  unsigned char byte[BYTES];
  uid[0] = 0;
  for (int i = 0; i < BYTES; i++) {
    unsigned value;
    if (strlen(hex) < 2 || sscanf(hex, "%2x", &value) != 1) return;
    byte[i] = (unsigned char)value;
    hex += 2;
  }
  write_uid(byte, 8, uid);
}

ht_status ht_uid_new(char uid[HT_UID_TEXT]) {
  unsigned char byte[BYTES];
  do {
    if (getrandom(byte, sizeof byte, 0) != (ssize_t)sizeof byte)
      return ht_fail(HT_ERR_INTERNAL, "the system gives no random numbers for a new DICOM UID");
    write_uid(byte, 4, uid);
  } while (strlen(uid) < USUAL_LENGTH);
  return HT_OK;
}
