/* Signs of a scan's kind (scan_signs.h) in the texts of its tags. Private to import/. */
#ifndef HT_SIGN_WORDS_H
#define HT_SIGN_WORDS_H

#include "core/vessel/scan_signs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the signs in a description (UTF-8) of a scan of that modality: "3D_TOF_Kopf" is time of
 * flight, 3D, head. Words of English, German, French, Italian, Spanish. */
unsigned ht_signs_of_description(const char *text, const char *modality);

/* Finds the parts of the body in Body Part Examined, whose words run together: "HEADNECK". */
unsigned ht_signs_of_part(const char *text);

/* Tells whether Contrast/Bolus Agent names an agent in the blood; 0 for "", "none", "ORAL". */
int ht_signs_is_agent(const char *text);

#ifdef __cplusplus
}
#endif
#endif
