#include "import/dicom/sign_words.h"
#include <ctype.h>
#include <string.h>

/* A word begins with a blank in the folded text; it ends with one where the blank is written. `of`:
 * the modality in which it counts; NULL: all. The first word that a text matches uses it up: "supra
 * aortic" is no aorta. */
typedef struct {
  const char *word;
  unsigned signs;
  const char *of;
} sign_word;

static const sign_word known[] = {
    {" supra aort", HT_SIGN_NECK, NULL},
    {" supraaort", HT_SIGN_NECK, NULL},
    {" tsa ", HT_SIGN_NECK, NULL},
    {" neck", HT_SIGN_NECK, NULL},
    {" carot", HT_SIGN_NECK, NULL},
    {" karot", HT_SIGN_NECK, NULL},
    {" halswirb", HT_SIGN_OTHER, NULL},
    {" hals", HT_SIGN_NECK, NULL},
    {" cou ", HT_SIGN_NECK, NULL},
    {" collo ", HT_SIGN_NECK, NULL},
    {" cuello", HT_SIGN_NECK, NULL},
    {" head", HT_SIGN_HEAD, NULL},
    {" brain", HT_SIGN_HEAD, NULL},
    {" skull", HT_SIGN_HEAD, NULL},
    {" neuro", HT_SIGN_HEAD, NULL},
    {" intracr", HT_SIGN_HEAD, NULL},
    {" cerebr", HT_SIGN_HEAD, NULL},
    {" crani", HT_SIGN_HEAD, NULL},
    {" crane", HT_SIGN_HEAD, NULL},
    {" willis", HT_SIGN_HEAD, NULL},
    {" cow ", HT_SIGN_HEAD, NULL},
    {" kopf", HT_SIGN_HEAD, NULL},
    {" schadel", HT_SIGN_HEAD, NULL},
    {" hirn", HT_SIGN_HEAD, NULL},
    {" tete ", HT_SIGN_HEAD, NULL},
    {" cerveau", HT_SIGN_HEAD, NULL},
    {" testa ", HT_SIGN_HEAD, NULL},
    {" encef", HT_SIGN_HEAD, NULL},
    {" enceph", HT_SIGN_HEAD, NULL},
    {" cabeza", HT_SIGN_HEAD, NULL},
    {" chest", HT_SIGN_CHEST, NULL},
    {" thora", HT_SIGN_CHEST, NULL},
    {" torac", HT_SIGN_CHEST, NULL},
    {" torax", HT_SIGN_CHEST, NULL},
    {" abdom", HT_SIGN_ABDOMEN, NULL},
    {" abd ", HT_SIGN_ABDOMEN, NULL},
    {" addom", HT_SIGN_ABDOMEN, NULL},
    {" bauch", HT_SIGN_ABDOMEN, NULL},
    {" pelvi", HT_SIGN_ABDOMEN, NULL},
    {" becken", HT_SIGN_ABDOMEN, NULL},
    {" bassin", HT_SIGN_ABDOMEN, NULL},
    {" renal", HT_SIGN_ABDOMEN, NULL},
    {" liver", HT_SIGN_ABDOMEN, NULL},
    {" leber", HT_SIGN_ABDOMEN, NULL},
    {" aort", HT_SIGN_AORTA, NULL},
    {" heart", HT_SIGN_HEART, NULL},
    {" cardi", HT_SIGN_HEART, NULL},
    {" kardi", HT_SIGN_HEART, NULL},
    {" herz", HT_SIGN_HEART, NULL},
    {" coeur", HT_SIGN_HEART, NULL},
    {" cuore", HT_SIGN_HEART, NULL},
    {" corazon", HT_SIGN_HEART, NULL},
    {" coronary", HT_SIGN_HEART, NULL},
    {" coronari", HT_SIGN_HEART, NULL},
    {" koronar", HT_SIGN_HEART, NULL},
    {" lung", HT_SIGN_HEART, NULL},
    {" pulm", HT_SIGN_HEART, NULL},
    {" poumon", HT_SIGN_HEART, NULL},
    {" polmon", HT_SIGN_HEART, NULL},
    {" spine", HT_SIGN_OTHER, NULL},
    {" spinal", HT_SIGN_OTHER, NULL},
    {" wirbel", HT_SIGN_OTHER, NULL},
    {" hws ", HT_SIGN_OTHER, NULL},
    {" rachis", HT_SIGN_OTHER, NULL},
    {" column", HT_SIGN_OTHER, NULL},
    {" colonna", HT_SIGN_OTHER, NULL},
    {" extrem", HT_SIGN_OTHER, NULL},
    {" periph", HT_SIGN_OTHER, NULL},
    {" runoff", HT_SIGN_OTHER, NULL},
    {" run off", HT_SIGN_OTHER, NULL},
    {" leg ", HT_SIGN_OTHER, NULL},
    {" legs ", HT_SIGN_OTHER, NULL},
    {" bein", HT_SIGN_OTHER, NULL},
    {" jamb", HT_SIGN_OTHER, NULL},
    {" gamb", HT_SIGN_OTHER, NULL},
    {" piern", HT_SIGN_OTHER, NULL},
    {" femor", HT_SIGN_OTHER, NULL},
    {" knee", HT_SIGN_OTHER, NULL},
    {" foot", HT_SIGN_OTHER, NULL},
    {" hand", HT_SIGN_OTHER, NULL},
    {" shoulder", HT_SIGN_OTHER, NULL},
    {" tof", HT_SIGN_TOF, "MR"},
    {" time of flight", HT_SIGN_TOF, "MR"},
    {" temps de vol", HT_SIGN_TOF, "MR"},
    {" tempo di volo", HT_SIGN_TOF, "MR"},
    {" tiempo de vuelo", HT_SIGN_TOF, "MR"},
    {" mra", HT_SIGN_ANGIO, "MR"},
    {" cta", HT_SIGN_ANGIO, "CT"},
    {" angio", HT_SIGN_ANGIO, NULL},
    {" arteri", HT_SIGN_CONTRAST, "CT"},
    {" ven ", HT_SIGN_VEINS, NULL},
    {" venou", HT_SIGN_VEINS, NULL},
    {" venos", HT_SIGN_VEINS, NULL},
    {" venen", HT_SIGN_VEINS, NULL},
    {" venogr", HT_SIGN_VEINS, NULL},
    {" vein", HT_SIGN_VEINS, NULL},
    {" veno", HT_SIGN_VEINS, NULL},
    {" mrv", HT_SIGN_VEINS, "MR"},
    {" ctv", HT_SIGN_VEINS, "CT"},
    {" portal", HT_SIGN_VEINS, NULL},
    {" porto", HT_SIGN_VEINS, NULL},
    {" late ", HT_SIGN_VEINS, NULL},
    {" delay", HT_SIGN_VEINS, NULL},
    {" spat", HT_SIGN_VEINS, NULL}, /* spät */
    {" tardi", HT_SIGN_VEINS, NULL},
    {" nativ", HT_SIGN_NATIVE, NULL},
    {" nat ", HT_SIGN_NATIVE, NULL},
    {" natfill", HT_SIGN_NATIVE, "XA"},
    {" without", HT_SIGN_NATIVE, NULL},
    {" w o ", HT_SIGN_NATIVE, NULL},
    {" wo ", HT_SIGN_NATIVE, NULL},
    {" ohne ", HT_SIGN_NATIVE, NULL},
    {" sans ", HT_SIGN_NATIVE, NULL},
    {" senza ", HT_SIGN_NATIVE, NULL},
    {" sin ", HT_SIGN_NATIVE, NULL},
    {" basal", HT_SIGN_NATIVE, "CT"}, /* Italian, Spanish: before the agent */
    {" non contrast", HT_SIGN_NATIVE, NULL},
    {" noncontrast", HT_SIGN_NATIVE, NULL},
    {" nonenh", HT_SIGN_NATIVE, NULL},
    {" unenh", HT_SIGN_NATIVE, NULL},
    {" pre ", HT_SIGN_NATIVE, "CT"},
    {" precon", HT_SIGN_NATIVE, NULL},
    {" plain", HT_SIGN_NATIVE, NULL},
    {" non ", HT_SIGN_NATIVE, "CT"},
    {" no ", HT_SIGN_NATIVE, "CT"},
    /* The soft-tissue volumes of X-ray angiographs show bone as bright as blood. */
    {" dyna", HT_SIGN_NATIVE, "XA"},
    {" dct ", HT_SIGN_NATIVE, "XA"},
    {" xper", HT_SIGN_NATIVE, "XA"},
    {" cbct", HT_SIGN_NATIVE, "XA"},
    {" contrast", HT_SIGN_CONTRAST, NULL},
    {" kontrast", HT_SIGN_CONTRAST, NULL},
    {" km ", HT_SIGN_CONTRAST, NULL},
    {" ce ", HT_SIGN_CONTRAST, NULL},
    {" cemra", HT_SIGN_CONTRAST | HT_SIGN_ANGIO, "MR"},
    {" gd ", HT_SIGN_CONTRAST, "MR"},
    {" gad", HT_SIGN_CONTRAST, "MR"},
    {" post ", HT_SIGN_CONTRAST, "MR"},
    {" twist", HT_SIGN_CONTRAST, "MR"},
    {" tricks", HT_SIGN_CONTRAST, "MR"},
    {" pc ", HT_SIGN_PHASE_CONTRAST, "MR"},
    {" pca", HT_SIGN_PHASE_CONTRAST, "MR"},
    {" phase", HT_SIGN_PHASE_CONTRAST, "MR"},
    {" flow", HT_SIGN_PHASE_CONTRAST, "MR"},
    {" qflow", HT_SIGN_PHASE_CONTRAST, "MR"},
    {" venc", HT_SIGN_PHASE_CONTRAST, "MR"},
    {" 4d ", HT_SIGN_PHASE_CONTRAST, "MR"},
    {" mip", HT_SIGN_COMPUTED, NULL},
    {" minip", HT_SIGN_COMPUTED, NULL},
    {" vrt", HT_SIGN_COMPUTED, NULL},
    {" perf", HT_SIGN_COMPUTED, NULL},
    {" bolus", HT_SIGN_COMPUTED, NULL},
    {" monitor", HT_SIGN_COMPUTED, NULL},
    {" smart", HT_SIGN_COMPUTED, NULL},
    {" timing", HT_SIGN_COMPUTED, NULL},
    {" test ", HT_SIGN_COMPUTED, NULL},
    {" scout", HT_SIGN_COMPUTED, NULL},
    {" survey", HT_SIGN_COMPUTED, NULL},
    {" loc", HT_SIGN_COMPUTED, NULL},
    {" kev ", HT_SIGN_COMPUTED, NULL},
    {" mono", HT_SIGN_COMPUTED, NULL},
    {" iod", HT_SIGN_COMPUTED, NULL},
    {" map ", HT_SIGN_COMPUTED, NULL},
    {" mask", HT_SIGN_COMPUTED, NULL},
    {" calcium", HT_SIGN_COMPUTED, NULL},
    {" score", HT_SIGN_COMPUTED, NULL},
    {" scoring", HT_SIGN_COMPUTED, NULL},
    {" subtr", HT_SIGN_COMPUTED, "CT"},
    {" sub ", HT_SIGN_COMPUTED, "CT"},
    {" dsa ", HT_SIGN_COMPUTED, "CT"},
    {" subtr", HT_SIGN_COMPUTED, "MR"},
    {" sub ", HT_SIGN_COMPUTED, "MR"},
    {" 3d ", HT_SIGN_3D, NULL},
    {" rot", HT_SIGN_ROTATIONAL, "XA"},
};

/* Letter without its mark, for U+00C0 to U+00FF: by the second byte of UTF-8 from 0x80. */
static char plain_letter(unsigned char second) {
  static const char plain[] = "aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty";
  return second >= 0x80 && second < 0xc0 ? plain[second - 0x80] : ' ';
}

enum { FOLDED_BYTES = 512 };

/* Tells whether a blank is due between two characters. It is between digit and letter: "40keV",
 * "TOF3D"; but "3D" is a word: "3DRA". */
static int parts(char before, char now, const char *folded, size_t length) {
  if (isdigit((unsigned char)before)) return isalpha((unsigned char)now) && now != 'd';
  if (!isalpha((unsigned char)before)) return 0;
  int is_3d = before == 'd' && length > 1 && isdigit((unsigned char)folded[length - 2]);
  return isdigit((unsigned char)now) || (is_3d && isalpha((unsigned char)now));
}

/* " 3d tof kopf ": small letters without marks, words between single blanks. */
static void fold(const char *text, char folded[FOLDED_BYTES]) {
  size_t n = 0;
  folded[n++] = ' ';
  for (const unsigned char *c = (const unsigned char *)text; *c && n + 3 < FOLDED_BYTES; c++) {
    char letter = isalnum(*c) && *c < 0x80 ? (char)tolower(*c) : ' ';
    if (*c == 0xc3 && c[1]) letter = plain_letter(*++c);
    if (parts(folded[n - 1], letter, folded, n)) folded[n++] = ' ';
    if (letter != ' ' || folded[n - 1] != ' ') folded[n++] = letter;
  }
  if (folded[n - 1] != ' ') folded[n++] = ' ';
  folded[n] = 0;
}

/* Uses up the letters of a word that was found: they count for no other. */
static void use_up(char *at, const char *word) {
  for (; *word; word++, at++)
    if (*at != ' ') *at = '#';
}

unsigned ht_signs_of_description(const char *text, const char *modality) {
  char folded[FOLDED_BYTES], *at;
  unsigned signs = 0;
  fold(text, folded);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (known[i].of && strcmp(known[i].of, modality) != 0) continue;
    while ((at = strstr(folded, known[i].word)) != NULL) {
      signs |= known[i].signs;
      use_up(at, known[i].word);
    }
  }
  return signs;
}

/* Tells whether the single word of an entry is within the text. Words of fewer than four letters do
 * not count: they occur within others. */
static int has_within(const char *folded, const char *word) {
  char letters[32];
  size_t length = strcspn(word + 1, " ");
  int is_one = strlen(word + 1) <= length + 1;
  if (!is_one || length < 4 || length >= sizeof letters) return 0;
  memcpy(letters, word + 1, length);
  letters[length] = 0;
  return strstr(folded, letters) != NULL;
}

unsigned ht_signs_of_part(const char *text) {
  char folded[FOLDED_BYTES];
  unsigned signs = ht_signs_of_description(text, "") & HT_SIGNS_PARTS;
  fold(text, folded);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].signs & HT_SIGNS_PARTS && has_within(folded, known[i].word))
      signs |= known[i].signs;
  return signs;
}

int ht_signs_is_agent(const char *text) {
  static const char *const none[] = {" no ", " none ", " n ", " 0 ", " nein ", " oral", " not "};
  char folded[FOLDED_BYTES];
  fold(text, folded);
  if (!folded[1] || ht_signs_of_description(text, "") & HT_SIGN_NATIVE) return 0;
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    if (strstr(folded, none[i])) return 0;
  return 1;
}
