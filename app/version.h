/* What this program is: for --version and the manifest. */
#ifndef HT_VERSION_H
#define HT_VERSION_H

#ifndef HT_VERSION
#define HT_VERSION "unknown"
#endif

/* `git describe` of the sources at build time; "unknown" outside a git clone. */
const char *ht_commit(void);

#endif
