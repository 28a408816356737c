/* The texts of a picture about its case. */
#ifndef HT_PICTURE_TEXT_H
#define HT_PICTURE_TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Either may be NULL or "". Borrowed. */
typedef struct {
  const char *name; /* of the case, after the title; cut with "..." where it is too long */
  const char *mark; /* a warning in a bar of its own colour, such as "NOT STEADY: ..." */
} ht_picture_text;

#ifdef __cplusplus
}
#endif
#endif
