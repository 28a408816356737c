/* A measurement: the numbers of a section of the vessel, or of a region of its wall. */
#ifndef HT_MEASUREMENT_H
#define HT_MEASUREMENT_H

#include "app/measure/place.h"
#include "app/measure/results.h"

/* Numbers of a section at one moment; NAN: not known. Flow and mean velocity are positive in the
 * direction in which the blood flows through the section on average. */
typedef struct {
  double time_s; /* from the start of the beat; NAN: the steady flow, or the mean of the beat */
  double flow_ml_s;
  double mean_m_s;                    /* flow / area: across the plane */
  double highest_m_s;                 /* highest speed of a node within a spacing of the plane */
  double pressure_pa;                 /* mean over the section, gauge */
  double wss_mean_pa, wss_highest_pa; /* around the contour; of the mean of a beat: TAWSS */
} ht_section_row;

/* Source of the moments of a beat. */
typedef enum {
  HT_MOMENTS_NONE,     /* a steady flow, or nothing was kept */
  HT_MOMENTS_SERIES,   /* the fields at every sample: series.bin */
  HT_MOMENTS_STATIONS, /* the stations of the main way on both sides: beat.bin */
  HT_MOMENTS_WALL, /* only the wall shear stress: wall_moments.bin, and the fields at one moment */
} ht_moments_from;

/* Number of an array of wall.vtp over a region. */
typedef struct {
  char name[HT_VTP_NAME_MAX]; /* with its unit: "tawss_pa" */
  ht_wall_spread_full spread;
} ht_region_row;

enum { HT_REGION_ROWS_MAX = 24, HT_SECTION_ROWS_MAX = 1024 };

typedef struct {
  int is_region;
  double area_mm2;
  char remark[384]; /* what the user should know: what the place snapped to; "" */
  /* Members of a section: */
  double centre_mm[3]; /* centroid, LPS */
  double normal[3];    /* LPS, unit; the way that the blood flows on average */
  double axis[3];      /* direction of the vessel there, on the same side */
  double turn_degrees; /* angle between the two */
  double diameter_mm;  /* of the circle with its area */
  double perimeter_mm;
  double along_mm;  /* position on the main way, as in centreline.csv; NAN: it is not on it */
  int is_pulsatile; /* 1: the first row is the mean over a beat */
  int others;       /* other vessels' sections in the plane, left out */
  ht_moments_from from;
  int rows;            /* the mean first, then the moments in the order of their times */
  ht_section_row *row; /* [rows]. Owned */
  float *contour_mm;   /* [contour_points][3] its line, LPS. Owned */
  int contour_points;
  /* Members of a region: */
  int quantities;
  ht_region_row quantity[HT_REGION_ROWS_MAX];
  ht_wall_region region; /* its triangles. Owned */
} ht_measurement;

void ht_measurement_free(ht_measurement *measurement);

#endif
