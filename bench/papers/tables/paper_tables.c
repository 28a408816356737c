/* Every number here was read from the paper's text around its table; where a table also prints the
 * bandwidth utilisation, a test compares it with what follows from the MFLUPS. */
#include "bench/papers/tables/paper_tables.h"
#include <math.h>
#include <string.h>

static const double titan_bytes_per_s = 288.384e9; /* section 4.1 */

enum { KERNELS = 6 };

/* The rows of tables 3, 4, 6, 8 and 9. */
static const struct {
  ht_step_kind step;
  ht_collision collision;
  ht_compressibility fluid;
} kernels[KERNELS] = {
    {HT_STEP_READ_WRITE, HT_LBGK, HT_INCOMPRESSIBLE},
    {HT_STEP_PROPAGATE, HT_LBGK, HT_INCOMPRESSIBLE},
    {HT_STEP_FLOW, HT_LBGK, HT_INCOMPRESSIBLE},
    {HT_STEP_FLOW, HT_LBGK, HT_QUASI_COMPRESSIBLE},
    {HT_STEP_FLOW, HT_MRT, HT_INCOMPRESSIBLE},
    {HT_STEP_FLOW, HT_MRT, HT_QUASI_COMPRESSIBLE},
};

/* Table 3. In the text at hand its column "Max perf." lacks two figures; the others are also
 * in the text of section 4.3. */
static const int dense_best_size[KERNELS] = {220, 112, 104, 100, 148, 152};
static const double dense_best[KERNELS] = {771, 696, 680, NAN, NAN, 454};
static const double dense_largest[KERNELS] = {771, 650, 632, 545, 462, 451}; /* 252^3 */

/* Table 4: [layout][kernel][2 tiles a block and 48 registers, 2 and 40, 1 and 48, 1 and 40]. */
static const double single_dense[2][KERNELS][4] = {
    /* optimised: XYZ + YXZ + zigzagNE */
    {{1501, 1502, 1497, 1498},
     {1133, 1128, 1078, 1050},
     {974, 1003, 958, 920},
     {968, 998, 958, 916},
     {785, 793, 792, 777},
     {783, 777, 794, 779}},
    /* XYZ */
    {{1503, 1504, 1497, 1498},
     {1067, 1066, 1037, 1024},
     {963, 1006, 962, 948},
     {962, 999, 959, 945},
     {810, 823, 805, 799},
     {821, 803, 806, 800}},
};
static const char *const single_dense_rung[2] = {"tile-zigzag", "tile-xyz"};
static const char *const single_dense_what[2] = {"XYZ+YXZ+zigzagNE", "XYZ"};

/* Table 5: cavity of 100^3, double precision. */
static const struct {
  const char *what, *rung;
  ht_step_kind step;
  double mflups, printed;
} layouts[] = {
    {"XYZ", "tile-xyz", HT_STEP_PROPAGATE, 586, 0.618},
    {"XYZ+zigzagNE", NULL, HT_STEP_PROPAGATE, 606, 0.639},
    {"XYZ+YXZ", "tile-xyz-yxz", HT_STEP_PROPAGATE, 666, 0.702},
    {"all three", "tile-zigzag", HT_STEP_PROPAGATE, 698, 0.736},
    {"rw only", "tile-zigzag", HT_STEP_READ_WRITE, 768, 0.810},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

/* Table 6: spheres of diameter 40 in 192^3, porosity 0.9, 0.8, ... 0.1. */
enum { POROSITIES = 9 };
static const double spheres_utilisation[POROSITIES] = {0.970, 0.936, 0.899, 0.857, 0.813,
                                                       0.762, 0.699, 0.626, 0.512};
/* [double, single][kernel][porosity] */
static const double spheres[2][KERNELS][POROSITIES] = {
    {{761, 751, 740, 726, 711, 693, 668, 634, 569},
     {672, 667, 659, 650, 638, 621, 597, 560, 491},
     {649, 645, 638, 628, 614, 594, 563, 520, 446},
     {558, 558, 565, 564, 555, 532, 499, 459, 393},
     {450, 436, 422, 404, 387, 366, 343, 317, 275},
     {436, 422, 407, 390, 373, 354, 332, 308, 270}},
    {{1503, 1474, 1443, 1406, 1364, 1312, 1245, 1151, 959},
     {1053, 1034, 1013, 989, 961, 927, 880, 815, 706},
     {1008, 982, 954, 919, 880, 833, 775, 706, 589},
     {1005, 976, 948, 912, 873, 826, 767, 700, 585},
     {815, 790, 766, 734, 703, 667, 624, 574, 496},
     {819, 794, 766, 733, 701, 663, 620, 567, 484}},
};

/* Table 7: bandwidth utilisation of LBGK incompressible and of the paper's reference [8], porosity
 * 0.9, 0.8 and 0.7: [double, single][3]. */
static const double spheres_printed[2][3] = {{0.684, 0.680, 0.673}, {0.531, 0.518, 0.503}};
static const double spheres_peer[2][3] = {{0.493, 0.482, 0.488}, {0.409, 0.390, 0.405}};

/* Tables 8 (cerebral aneurysm; [8]: single precision, four Tesla C1060) and 9 (aorta with
 * coarctation; [10]: D3Q15, double precision, GTX 680, about): [double, single][kernel]. */
static const double aneurysm[2][KERNELS] = {{753, 654, 637, 553, 439, 422},
                                            {1480, 1021, 971, 968, 789, 790}};
static const double aneurysm_printed[2][KERNELS] = {{0.794, 0.689, 0.671, 0.583, 0.463, 0.445},
                                                    {0.780, 0.538, 0.512, 0.510, 0.416, 0.416}};
static const double coarctation[2][KERNELS] = {{714, 647, 617, 551, 382, 368},
                                               {1393, 990, 864, 857, 685, 681}};
static const double coarctation_printed[2][KERNELS] = {{0.753, 0.682, 0.650, 0.581, 0.403, 0.388},
                                                       {0.734, 0.522, 0.455, 0.452, 0.361, 0.359}};
static const double aneurysm_utilisation = 0.931, coarctation_utilisation = 0.807;
static const ht_precision precision_of[2] = {HT_FP64, HT_FP32};

static const ht_paper_table tables[] = {
    {"3", "dense cavity, double precision, the largest case and the fastest", "section 4.3"},
    {"4", "dense cavity of 100^3, single precision", "section 4.3.1"},
    {"5", "layouts of a tile, cavity of 100^3, double precision", "section 4.5"},
    {"6", "spheres by porosity", "section 4.6"},
    {"7", "spheres by porosity against indirect addressing", "section 4.6"},
    {"8", "cerebral aneurysm (ours: vessels)", "section 4.6"},
    {"9", "aorta with coarctation (ours: vessels-small)", "section 4.6"},
    {"fig19", "speed by tile utilisation, as part of the dense cavity's", "section 4.6.1"},
};
enum { TABLES = sizeof tables / sizeof *tables };

const ht_paper_table *ht_paper_table_number(int number) {
  return number < TABLES ? &tables[number] : NULL;
}

const ht_paper_table *ht_paper_table_find(const char *name) {
  for (int i = 0; i < TABLES; i++)
    if (strcmp(tables[i].name, name) == 0) return &tables[i];
  return NULL;
}

/* ---- figures one by one ---- */

typedef struct {
  ht_paper_entry *entry;
  int count;
} entries;

/* The next entry: a kernel of the usual rows. The caller fills in what is special. */
static ht_paper_entry *add(entries *list, const char *geometry, int kernel, ht_precision precision,
                           double mflups) {
  ht_paper_entry *entry = &list->entry[list->count++];
  *entry = (ht_paper_entry){.geometry = geometry,
                            .precision = precision,
                            .collision = kernels[kernel].collision,
                            .fluid = kernels[kernel].fluid,
                            .step = kernels[kernel].step,
                            .what = "",
                            .mflups = mflups,
                            .utilisation = NAN,
                            .printed = NAN,
                            .peer = NAN};
  return entry;
}

static void add_cavity(entries *list, int size, int kernel, ht_precision precision, double mflups,
                       const char *what) {
  ht_paper_entry *entry = add(list, "cavity", kernel, precision, mflups);
  entry->size = size;
  entry->utilisation = 1;
  entry->what = what;
}

static void add_dense(entries *list) {
  for (int k = 0; k < KERNELS; k++) add_cavity(list, 252, k, HT_FP64, dense_largest[k], "max case");
  for (int k = 0; k < KERNELS; k++)
    add_cavity(list, dense_best_size[k], k, HT_FP64, dense_best[k], "max perf.");
}

static double best_of(const double *values, int count) {
  double best = values[0];
  for (int i = 1; i < count; i++) best = values[i] > best ? values[i] : best;
  return best;
}

static void add_single_dense(entries *list) {
  for (int l = 0; l < 2; l++)
    for (int k = 0; k < KERNELS; k++) {
      add_cavity(list, 100, k, HT_FP32, best_of(single_dense[l][k], 4), single_dense_what[l]);
      list->entry[list->count - 1].rung = single_dense_rung[l];
    }
}

static void add_layouts(entries *list) {
  for (int l = 0; l < LAYOUTS; l++) {
    int kernel = layouts[l].step == HT_STEP_READ_WRITE ? 0 : 1;
    add_cavity(list, 100, kernel, HT_FP64, layouts[l].mflups, layouts[l].what);
    list->entry[list->count - 1].rung = layouts[l].rung;
    list->entry[list->count - 1].printed = layouts[l].printed;
  }
}

static void add_sphere(entries *list, int porosity, int precision, int kernel) {
  ht_paper_entry *entry =
      add(list, "spheres", kernel, precision_of[precision], spheres[precision][kernel][porosity]);
  entry->porosity = 0.1 * (9 - porosity);
  entry->utilisation = spheres_utilisation[porosity];
  if (kernel != 2 || porosity > 2) return;
  entry->printed = spheres_printed[precision][porosity];
  entry->peer = spheres_peer[precision][porosity];
}

static void add_spheres(entries *list) {
  for (int r = 0; r < POROSITIES; r++)
    for (int p = 0; p < 2; p++)
      for (int k = 0; k < KERNELS; k++) add_sphere(list, r, p, k);
}

static void add_spheres_peer(entries *list) {
  for (int r = 0; r < 3; r++)
    for (int p = 0; p < 2; p++) add_sphere(list, r, p, 2);
}

static void add_aneurysm(entries *list) {
  for (int p = 0; p < 2; p++)
    for (int k = 0; k < KERNELS; k++) {
      ht_paper_entry *entry = add(list, "vessels", k, precision_of[p], aneurysm[p][k]);
      entry->utilisation = aneurysm_utilisation;
      entry->printed = aneurysm_printed[p][k];
      if (p == 1 && k == 2) entry->peer = 0.404;
    }
}

static void add_coarctation(entries *list) {
  for (int p = 0; p < 2; p++)
    for (int k = 0; k < KERNELS; k++) {
      ht_paper_entry *entry = add(list, "vessels-small", k, precision_of[p], coarctation[p][k]);
      entry->utilisation = coarctation_utilisation;
      entry->printed = coarctation_printed[p][k];
      if (p == 0 && k == 3) entry->peer = 0.2;
    }
}

/* The figure that all others are divided by. */
static double dense_of(int kernel, ht_precision precision) {
  if (precision == HT_FP64) return dense_best[kernel];
  if (precision == HT_FP32) return best_of(single_dense[1][kernel], 2); /* two tiles a block */
  return NAN;
}

/* Dense first, because the others are divided by it. */
static void add_by_utilisation(entries *list) {
  for (int p = 0; p < 2; p++)
    for (int k = 0; k < KERNELS; k++)
      add_cavity(list, 100, k, precision_of[p], dense_of(k, precision_of[p]), "dense");
  for (int p = 0; p < 2; p++)
    for (int k = 0; k < KERNELS; k++)
      add_cavity(list, 252, k, precision_of[p], p == 0 ? dense_largest[k] : NAN, "dense");
  add_spheres(list);
  add_aneurysm(list);
  add_coarctation(list);
}

int ht_paper_table_entries(const ht_paper_table *table, ht_paper_entry *entry) {
  static void (*const fill[TABLES])(entries *) = {add_dense,       add_single_dense,  add_layouts,
                                                  add_spheres,     add_spheres_peer,  add_aneurysm,
                                                  add_coarctation, add_by_utilisation};
  entries list = {entry, 0};
  fill[table - tables](&list);
  return list.count;
}

double ht_paper_fraction(const ht_paper_entry *entry) {
  double bytes = entry->precision == HT_FP64 ? 2 * 19 * 8 : 2 * 19 * 4;
  return entry->mflups * 1e6 * bytes / titan_bytes_per_s;
}

double ht_paper_dense(const ht_paper_entry *entry) {
  for (int k = 0; k < KERNELS; k++)
    if (kernels[k].step == entry->step && kernels[k].collision == entry->collision &&
        kernels[k].fluid == entry->fluid)
      return dense_of(k, entry->precision);
  return NAN;
}
