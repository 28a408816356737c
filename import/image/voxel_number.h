/* Numbers as image files store them: their types are those of core/formats/nifti_codes.h, also for
 * MetaImage. Private to import/. */
#ifndef HT_VOXEL_NUMBER_H
#define HT_VOXEL_NUMBER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Number of bytes of a voxel of the types that are one number; 0 for the others. */
int ht_number_bytes(int type);

/* Number i of a block that begins aligned, in this machine's byte order; NAN for the other
 * types. */
double ht_number_at(int type, const void *block, int i);

/* Returns 1 where the most significant byte of a number comes first in this machine. */
int ht_host_is_big(void);

/* Reverses the byte order of `count` numbers of `bytes` bytes. */
void ht_number_swap(unsigned char *number, int bytes, int count);

#ifdef __cplusplus
}
#endif
#endif
