/* Numbers of the NIfTI format, NIfTI-1 and -2 alike: nifti1.h of https://nifti.nimh.nih.gov. */
#ifndef HT_NIFTI_CODES_H
#define HT_NIFTI_CODES_H

/* datatype: the kind of number that a voxel holds. */
enum {
  HT_NIFTI_UINT8 = 2,
  HT_NIFTI_INT16 = 4,
  HT_NIFTI_INT32 = 8,
  HT_NIFTI_FLOAT = 16,
  HT_NIFTI_DOUBLE = 64,
  HT_NIFTI_RGB = 128,
  HT_NIFTI_INT8 = 256,
  HT_NIFTI_UINT16 = 512,
  HT_NIFTI_UINT32 = 768,
  HT_NIFTI_INT64 = 1024,
  HT_NIFTI_UINT64 = 1280,
  HT_NIFTI_RGBA = 2304,
};

/* xyzt_units: the unit of lengths; its three lowest bits. */
enum { HT_NIFTI_METRE = 1, HT_NIFTI_MM = 2, HT_NIFTI_MICRON = 3, HT_NIFTI_LENGTH_BITS = 7 };
enum { HT_NIFTI_SECOND = 8 };

/* qform_code and sform_code: 0 where the place is not given. Larger codes than 2 name an atlas. */
enum { HT_NIFTI_SCANNER = 1, HT_NIFTI_ALIGNED = 2 };

/* intent_code: each voxel holds a vector. */
enum { HT_NIFTI_VECTOR = 1007 };

/* Bytes of the headers, which are also the first number in them. */
enum { HT_NIFTI1_BYTES = 348, HT_NIFTI2_BYTES = 540 };

#endif
