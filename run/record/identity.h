/* Keeps the patient's identity out of the files that hemotile writes, unless the user requests it.
 *
 * Files repeat no text from outside (redact.h): of what a message quotes only hemotile's own words
 * and the names that the user gave stay, and paths are replaced by labels, because no list of words
 * to remove is complete. As a second net the words of the identity (names, numbers, dates of the
 * header) are removed from every text that goes to a file. The record keeps salted hashes of the
 * patient's number and of the input's path. With them the user, and nobody else, can see that two
 * cases are of one patient, and which scan belongs to a case. */
#ifndef HT_IDENTITY_H
#define HT_IDENTITY_H

#include "run/folder/hash.h"
#include "import/import.h"

/* Limits texts of files, from now on, to hemotile's own words in what a message quotes (redact.h);
 * with keep_identity all stays. */
void ht_identity_guard_texts(int keep_identity);

/* Removes the words of this identity from texts, too, from now on. An identity of hemotile's own
 * phantoms has no effect. */
void ht_identity_hide(const ht_identity *identity);

/* Computes the SHA-256 of the user's salt and the patient's number; "" without a number, and for
 * phantoms. The salt is made once and kept in $XDG_CONFIG_HOME/hemotile/salt (else ~/.config),
 * readable by the user alone. HT_ERR_WRITE where it can be neither read nor made. */
ht_status ht_identity_hash(const ht_identity *identity, char hex[HT_HASH_TEXT]);

/* Makes a study pseudonymous: only UIDs from the user's salt and its own UIDs remain, the same for
 * the same study. HT_ERR_WRITE as above; nothing is left then. */
ht_status ht_identity_hide_study(ht_study *study);

/* Returns 1 where the user has a salt. The functions above and below make a missing one; this does
 * not. */
int ht_identity_has_salt(void);

/* Makes the label for a path in files: "folder-0123456789ab", "file-0123456789ab.nii.gz", from a
 * salted hash of the whole path (links followed), because exports of many patients have folders of
 * the same last name. HT_ERR_WRITE as ht_identity_hash; the label then has no hash. */
enum { HT_LABEL_MAX = 40 };
ht_status ht_identity_label(const char *path, char label[HT_LABEL_MAX]);

/* Replaces this path, and any path in it, by its label in texts that go to files from now on; "DIR"
 * replaces the folder of the results. "": no effect. */
void ht_identity_hide_input(const char *path);
void ht_identity_hide_output(const char *folder);

#endif
