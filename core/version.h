/* The identity of this program: for --version and the records. */
#ifndef HT_VERSION_H
#define HT_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the project, "0.3.0". */
const char *ht_version(void);

/* Returns `git describe` of the sources at build time; "unknown" outside a git clone. */
const char *ht_commit(void);

#ifdef __cplusplus
}
#endif
#endif
