/* The identity of this program: for --version and the records. */
#ifndef HT_VERSION_H
#define HT_VERSION_H

/* The version of the project, "0.2.0". */
const char *ht_version(void);

/* `git describe` of the sources at build time; "unknown" outside a git clone. */
const char *ht_commit(void);

#endif
