/* Signs of a scan's kind from its tags: a fixed list, no text of the scan. import/ finds them, the
 * record keeps them as words of this list, segment/ chooses a preset by them. */
#ifndef HT_SCAN_SIGNS_H
#define HT_SCAN_SIGNS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bits; the words are in scan_signs.c, in this order. */
enum {
  HT_SIGN_HEAD = 1 << 0, /* part of the body */
  HT_SIGN_NECK = 1 << 1,
  HT_SIGN_CHEST = 1 << 2,
  HT_SIGN_ABDOMEN = 1 << 3,
  HT_SIGN_AORTA = 1 << 4,
  HT_SIGN_HEART = 1 << 5, /* or lungs */
  HT_SIGN_OTHER = 1 << 6, /* limbs, spine */
  HT_SIGN_TOF = 1 << 7,   /* time of flight */
  HT_SIGN_ANGIO = 1 << 8, /* MRA, CTA, Angio Flag */
  HT_SIGN_3D = 1 << 9,
  HT_SIGN_GRADIENT_ECHO = 1 << 10,
  HT_SIGN_ROTATIONAL = 1 << 11, /* a volume from a rotation of an X-ray angiograph */
  HT_SIGN_CONTRAST = 1 << 12,   /* contrast agent given */
  HT_SIGN_NATIVE = 1 << 13,     /* ... not given */
  HT_SIGN_VEINS = 1 << 14,      /* or a late phase */
  HT_SIGN_PHASE_CONTRAST = 1 << 15,
  HT_SIGN_SHORT_TR = 1 << 16, /* repetition time below 10 ms */
  HT_SIGN_COMPUTED = 1 << 17, /* a projection, a map, a subtraction, a test bolus */
};

/* Parts of the body. */
#define HT_SIGNS_PARTS 0x7fu

/* Writes the signs as words: "head, 3D, gradient echo"; "" for none. 320 bytes hold all. */
void ht_scan_signs_text(unsigned signs, char *text, size_t size);

/* Reads the words back. A word that is not in the list is left out. */
unsigned ht_scan_signs_parse(const char *text);

#ifdef __cplusplus
}
#endif
#endif
