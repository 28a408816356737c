/* Who a scan is of stays out of what hemotile writes, unless the user wishes otherwise.
 *
 * The words of a patient's identity (parts of the name, number, date of birth, date of the study,
 * number of the request) are taken out of every text that goes to a file (redact.h): paths,
 * messages, the case's name. The record keeps a salted hash of the patient's number, by which the
 * user can tell that two cases are of one patient, and nobody else can tell which. */
#ifndef HT_APP_IDENTITY_H
#define HT_APP_IDENTITY_H

#include "hash.h"
#include "import.h"

/* From now on the words of this identity are taken out of texts, beside those of others before. Of
 * hemotile's own phantoms nothing is. */
void ht_identity_hide(const ht_identity *identity);

/* SHA-256 of the user's salt and the patient's number; "" where that is not told, and of phantoms.
 * The salt is made once and kept in $XDG_CONFIG_HOME/hemotile/salt (else ~/.config), readable by
 * the user alone. HT_ERR_WRITE where it can be neither read nor made. */
ht_status ht_identity_hash(const ht_identity *identity, char hex[HT_HASH_TEXT]);

#endif
