/* Stretches of vessel that a person may mean: found by segment/candidates/, written and drawn for
 * the choice of one. */
#ifndef HT_CANDIDATES_H
#define HT_CANDIDATES_H

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_CANDIDATES_MAX = 12, HT_CANDIDATE_NAME = 64 };

/* Terms of the score; each from 0 (bad) to 1. */
typedef struct {
  double length, radius, contrast, branching, smoothness;
} ht_candidate_terms;

typedef struct {
  int stations;
  double (*station)[4];        /* [stations] x, y, z (LPS) of the centreline, radius: mm; owned */
  double from_mm[3], to_mm[3]; /* LPS; the wider end first; inside the vessel */
  int from_at_border, to_at_border; /* 1: the vessel leaves the scan there */
  double length_mm;
  double radius_mm, least_radius_mm; /* mean and least, of circles with the sections' areas */
  double contrast;                   /* inside minus around, over the noise around */
  double branches_per_cm;            /* branches that leave it, per cm */
  double neck;                       /* least radius over the largest on both sides; 1: it tapers */
  double tortuosity;                 /* length over the distance of the ends */
  double curvature_per_mm;           /* mean */
  ht_candidate_terms terms;
  double score;                  /* product of the terms */
  char name[HT_CANDIDATE_NAME];  /* "probably the aorta"; "": unknown */
  char place[HT_CANDIDATE_NAME]; /* "right, front, upper part of the scan, runs downwards" */
} ht_candidate;

typedef struct {
  int count; /* best first */
  ht_candidate item[HT_CANDIDATES_MAX];
  int dropped; /* others, long enough, that are no vessels or were not found between points */
  double second_piece; /* volume of the second largest piece of vessel over that of the largest */
} ht_candidates;

/* Frees the list; NULL is allowed. */
void ht_candidates_free(ht_candidates *candidates);

#ifdef __cplusplus
}
#endif
#endif
