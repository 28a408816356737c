/* The texts of a picture about its case, and the settings of its colours. */
#ifndef HT_PICTURE_TEXT_H
#define HT_PICTURE_TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

/* The texts may be NULL or "". Borrowed. */
typedef struct {
  const char *name; /* of the case, after the title; cut with "..." where it is too long */
  const char *mark; /* a warning in a bar of its own colour, such as "NOT STEADY: ..." */
  /* Ends of the colour bars, so that the pictures of several cases compare; 0: from the values. */
  double speed_high_m_s, wss_high_pa;
  /* The spacing of the lattice: the wall's colours are means over two of it. 0: they are not. */
  double lattice_mm;
} ht_picture_text;

#ifdef __cplusplus
}
#endif
#endif
