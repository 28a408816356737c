/* Unique identifiers of DICOM under the root 2.25: a UUID as one decimal number (PS3.5, B.2). */
#ifndef HT_UID_H
#define HT_UID_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_UID_TEXT = 65 }; /* with the 0 at its end */

/* Makes the UID of a hash in hex (the first 32 digits count): the same hash has the same UID. ""
 * where the hash has fewer digits. */
void ht_uid_of_hash(const char *hex, char uid[HT_UID_TEXT]);

/* Makes a new UID from the system's random numbers. HT_ERR_INTERNAL: the system gives none. */
ht_status ht_uid_new(char uid[HT_UID_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
