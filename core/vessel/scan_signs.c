#include "core/vessel/scan_signs.h"
#include "core/text/words.h"
#include <stdio.h>
#include <string.h>

static const char *const words[] = {"head",
                                    "neck",
                                    "chest",
                                    "abdomen",
                                    "aorta",
                                    "heart or lungs",
                                    "another part of the body",
                                    "time of flight",
                                    "angiography",
                                    "3D",
                                    "gradient echo",
                                    "rotational",
                                    "contrast agent",
                                    "no contrast agent",
                                    "veins or a late phase",
                                    "phase contrast",
                                    "repetition time below 10 ms",
                                    "computed from other images",
                                    NULL};

void ht_scan_signs_text(unsigned signs, char *text, size_t size) {
  text[0] = 0;
  for (int i = 0; words[i]; i++) {
    size_t used = strlen(text);
    if (signs >> i & 1u) snprintf(text + used, size - used, "%s%s", used ? ", " : "", words[i]);
  }
}

unsigned ht_scan_signs_parse(const char *text) {
  unsigned signs = 0;
  while (*text) {
    size_t length = strcspn(text, ",");
    int word = ht_word_find(words, text, length);
    if (word >= 0) signs |= 1u << word;
    text += length;
    text += strspn(text, ", ");
  }
  return signs;
}
