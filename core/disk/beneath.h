/* Opens what lies below a folder, and follows no link on the way: for names that a folder of
 * somebody else may hold. */
#ifndef HT_BENEATH_H
#define HT_BENEATH_H

#ifdef __cplusplus
extern "C" {
#endif

/* Opens `name` ("pictures/wall.png"; "": the folder itself) below the folder, to read. The folder's
 * own path may have links. `is_folder`: 1: it must be one; 0: it must be a file. Returns a
 * descriptor, which the caller closes; -1 with errno: ELOOP: a part of the name is a link; EINVAL:
 * it has "..", or what is there is no such thing. */
int ht_beneath_open(const char *folder, const char *name, int is_folder);

#ifdef __cplusplus
}
#endif
#endif
