/* Who a scan is of stays out of what hemotile writes, unless the user wishes otherwise.
 *
 * The words of a patient's identity (parts of the name, number, date of birth, date of the study,
 * number of the request) are taken out of every text that goes to a file (redact.h): messages, the
 * series' description, the case's name. Of paths nothing is kept there, as no list of words is
 * complete. The record keeps salted hashes of the patient's number and of the path of what was
 * read: by these the user can tell that two cases are of one patient, and which scan a case is of;
 * nobody else can. */
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

/* 1: the user has a salt. Where not, the functions above and below make it, and this does not. */
int ht_identity_has_salt(void);

/* What stands for a path in files: "folder-0123456789ab", "file-0123456789ab.nii.gz", from a salted
 * hash of all of it (links followed): exports of many patients have folders of the same last name.
 * HT_ERR_WRITE as of ht_identity_hash: then without the hash. */
enum { HT_LABEL_MAX = 40 };
ht_status ht_identity_label(const char *path, char label[HT_LABEL_MAX]);

/* From now on the label stands for this path, and all in it, in texts that go to files; "DIR" for
 * the folder of the results. "" is none. */
void ht_identity_hide_input(const char *path);
void ht_identity_hide_output(const char *folder);

#endif
