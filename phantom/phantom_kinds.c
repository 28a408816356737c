/* The kinds of phantoms: their shapes, their flows, and the options that change them. */
#include "phantom/phantom_shapes.h"
#include "core/numbers/units.h"
#include <assert.h>
#include <math.h>
#include <string.h>
#include <threads.h>

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

/* Diameters and flow, mean over a beat, of a resting adult's descending aorta, and of a published
 * coarctation of a child: 10.9 to 4.5 mm. */
static const double adult_mm = 20;
static const double child_mm = 10.9, child_throat_mm = 4.5, child_ml_s = 55;

static double reynolds_of(const ht_shape *shape, double flow_ml_s, double diameter_mm) {
  return 4 * shape->density_kg_m3 * flow_ml_s * 1e-6 /
         (HT_PI * shape->viscosity_pa_s * diameter_mm * 1e-3);
}

/* The flow at a Reynolds number in a section of this diameter. */
static double flow_of(const ht_shape *shape, double reynolds, double diameter_mm) {
  return reynolds / reynolds_of(shape, 1, diameter_mm);
}

/* The narrowing from its two diameters; `flow_ml_s` through it, 0: not known. */
static void set_narrowing(ht_shape *shape, double reference_mm, double throat_mm,
                          const double centre_mm[3], double flow_ml_s) {
  double part = throat_mm / reference_mm;
  ht_narrowing *n = &shape->narrowing;
  *n = (ht_narrowing){.severity_area_percent = 100 * (1 - part * part),
                      .severity_diameter_percent = 100 * (1 - part),
                      .reference_diameter_mm = reference_mm,
                      .throat_diameter_mm = throat_mm,
                      .throat_velocity_m_s = flow_ml_s / (0.25 * HT_PI * throat_mm * throat_mm),
                      .throat_reynolds = reynolds_of(shape, flow_ml_s, throat_mm)};
  memcpy(n->throat_centre_mm, centre_mm, sizeof n->throat_centre_mm);
}

/* The diameter that a severity by area leaves. */
static double throat_of(double reference_mm, double severity_percent) {
  return reference_mm * sqrt(1 - severity_percent / 100);
}

/* A bend like the carotid siphon's anterior genu: up, forward, back and up again; a side branch
 * like the posterior communicating artery. Flow: see aneurysm/case.yaml. */
static void shape_aneurysm(const ht_phantom_options *wanted, ht_shape *shape) {
  static const double parent[][4] = {
      {-3, 8.5, -26, 2.0},    {-3, 8.5, -14, 2.0},  {-2.8, 8.0, -9.5, 1.98}, {-2.0, 4.5, -6, 1.95},
      {-0.5, -1.0, -4, 1.92}, {0.5, -3.5, 0, 1.90}, {1.2, -1.5, 3.6, 1.88},  {2.0, 2.5, 6, 1.85},
      {2.6, 4.5, 9.5, 1.82},  {3.0, 5.0, 14, 1.80}, {3.0, 5.0, 26, 1.80},
  };
  static const double branch[][4] = {
      {2.0, 2.0, 5.8, 1.0}, {2.6, 5.5, 4.6, 1.0}, {4.2, 9, 3.2, 1.0},
      {5.0, 14, 2.6, 1.0},  {5.0, 30, 2.6, 1.0},
  };
  static const double vein[][4] = {
      {10, -26, -9, 1.4}, {10.5, -10, -7, 1.5}, {11, 0, -2, 1.5},
      {10, 9, -4, 1.6},   {9, 26, -9, 1.6},
  };
  *shape = (ht_shape){
      .tubes = 2,
      .sac = {0.5, -3.5 - 1.9 - 2.6, 0.2, 3.5},
      .sac_blend_mm = 0.8,
      .has_vein = 1,
      .bone_mm = {-10, -4, 5},
      .bone_radii_mm = {3.6, 5.2, 5.0},
      .box_mm = {32, 32, 28},
      .spacing_mm = 0.4,
      .noise = 0.05,
      .tilt_degrees = 8,
      .tilt_max_degrees = 15,
      .tissue = 40,
      .vein_value = 150,
      .bone_value = 190,
      .blood = 420,
      .blobs = 14,
      .density_kg_m3 = HT_BLOOD_DENSITY_KG_M3,
      .viscosity_pa_s = HT_BLOOD_VISCOSITY_PA_S,
      .smallest_radius_mm = 1.0,
  };
  ht_tube_spline(&shape->tube[0], parent, COUNT(parent), 0.15);
  ht_tube_spline(&shape->tube[1], branch, COUNT(branch), 0.15);
  ht_tube_spline(&shape->vein, vein, COUNT(vein), 0.3);
  shape->tube[1].blend_mm = 0.6;
  shape->tube[0].end[0] = (ht_tube_end){"inlet", HT_ROLE_INLET, wanted->flow_ml_s};
  shape->tube[0].end[1] = (ht_tube_end){"outlet", HT_ROLE_OUTLET, 0};
  shape->tube[1].end[1] = (ht_tube_end){"branch", HT_ROLE_OUTLET, 0};
}

/* The arch lies in a plane turned from the front of the body towards its left; s counts degrees
 * along it from the ascending (0) to the descending aorta (180). */
static void arch_point(double s, double radius_mm, double out[4]) {
  static const double half[2] = {14.0, 21.0}, top = 2;
  double across = -cos(s * HT_PI / 180), rise = sin(s * HT_PI / 180) * hypot(half[0], half[1]);
  double point[4] = {half[0] * across, half[1] * across, top + rise, radius_mm};
  memcpy(out, point, sizeof point);
}

static void arch_branch(ht_tube *tube, double s, double radius_mm, double lean_x, double lean_y) {
  double foot[4], control[4][4];
  static const double rise[4] = {0, 14, 30, 60};
  arch_point(s, radius_mm, foot);
  for (int i = 0; i < 4; i++) {
    double reach = i == 3 ? 1.6 : i * 0.5; /* leans away, then runs straight */
    double point[4] = {foot[0] + lean_x * reach, foot[1] + lean_y * reach, foot[2] + rise[i],
                       radius_mm};
    memcpy(control[i], point, sizeof point);
  }
  ht_tube_spline(tube, control, 4, 0.5);
  tube->blend_mm = 2.5;
}

/* Middle of the narrowing, and half its length, in degrees along the arch. */
static const double coarctation_at = 150, coarctation_half = 28;

/* Radius where the narrowing has a severity: the isthmus widens evenly to the descending aorta, and
 * a cosine is subtracted. */
static double coarctation_radius(double s, double severity_percent) {
  const double isthmus[2] = {120, 9.3}, end[2] = {180, 0.5 * adult_mm};
  const double slope = (end[1] - isthmus[1]) / (end[0] - isthmus[0]);
  double middle = isthmus[1] + slope * (coarctation_at - isthmus[0]);
  double throat = 0.5 * throat_of(adult_mm, severity_percent);
  return isthmus[1] + slope * (s - isthmus[0]) -
         (middle - throat) * ht_narrowing_bump(s - coarctation_at, coarctation_half);
}

/* Control points of the arch and the descending aorta; the ready case's shape without a severity.
 */
static int coarctation_controls(double severity_percent, double control[][4]) {
  static const double station[][2] = {/* degrees along the arch, radius */
                                      {0, 12},    {25, 11.8}, {50, 11.3}, {75, 10.7},
                                      {100, 10},  {120, 9.3}, {134, 7.6}, {144, 5.5},
                                      {150, 5.0}, {156, 5.5}, {166, 7.6}, {180, 9.0}};
  const int before = 6; /* stations before the narrowing */
  int count = 0;
  double end = 9.0;
  for (int i = 0; i < 3; i++) {
    arch_point(0, 12, control[count]);
    control[count++][2] = i == 0 ? -90 : i == 1 ? -40 : -15;
  }
  for (int i = 0; i < (isnan(severity_percent) ? COUNT(station) : before); i++)
    arch_point(station[i][0], station[i][1], control[count++]);
  if (!isnan(severity_percent)) {
    for (double s = 122; s <= 180; s += 4)
      arch_point(s, coarctation_radius(s, severity_percent), control[count++]);
    end = 0.5 * adult_mm;
    arch_point(180, end, control[count++]);
  }
  for (int i = 0; i < 3; i++) {
    arch_point(180, end, control[count]);
    control[count++][2] = i == 0 ? -15 : i == 1 ? -40 : -90;
  }
  return count;
}

/* Scales every length, and the voxels. */
static void scale_shape(ht_shape *shape, double by) {
  for (int t = 0; t < shape->tubes; t++) ht_tube_scale(&shape->tube[t], by);
  ht_tube_scale(&shape->vein, by);
  for (int c = 0; c < 3; c++) {
    shape->bone_mm[c] *= by;
    shape->bone_radii_mm[c] *= by;
    shape->box_mm[c] *= by;
  }
  shape->spacing_mm *= by;
  shape->smallest_radius_mm *= by;
}

static void describe_coarctation(double severity_percent, double scale, ht_shape *shape) {
  double reference = isnan(severity_percent) ? 18 : adult_mm, middle[4];
  double throat = isnan(severity_percent) ? 10 : throat_of(adult_mm, severity_percent);
  arch_point(coarctation_at, 0, middle);
  for (int c = 0; c < 3; c++) middle[c] *= scale;
  set_narrowing(shape, scale * reference, scale * throat, middle, 0);
}

/* Normal calibres at the ascending aorta (24 mm) and the branches. Without a severity 10 mm at the
 * narrowing just after the left subclavian artery, 18 mm below: see coarctation/case.yaml. With
 * one, 20 mm below. */
static void shape_coarctation(const ht_phantom_options *wanted, ht_shape *shape) {
  static const double vein[][4] = {{-34, -12, -90, 4.5},
                                   {-34, -12, -20, 4.5},
                                   {-33, -14, 10, 4.5},
                                   {-30, -18, 40, 4},
                                   {-30, -20, 90, 4}};
  *shape = (ht_shape){
      .tubes = 4,
      .has_vein = 1,
      .bone_mm = {-16, 30, -8},
      .bone_radii_mm = {15, 12, 16},
      .box_mm = {80, 92, 104},
      .spacing_mm = 0.9,
      .noise = 0.05,
      .tilt_degrees = 6,
      .tilt_max_degrees = 10,
      .tissue = 40,
      .vein_value = 150,
      .bone_value = 190,
      .blood = 400,
      .blobs = 18,
      .density_kg_m3 = HT_BLOOD_DENSITY_KG_M3,
      .viscosity_pa_s = HT_BLOOD_VISCOSITY_PA_S,
      .smallest_radius_mm = 4.0,
  };
  double control[40][4];
  int count = coarctation_controls(wanted->severity_percent, control);
  ht_tube_spline(&shape->tube[0], control, count, 0.55);
  arch_branch(&shape->tube[1], 56, 5.0, -3, -2);
  arch_branch(&shape->tube[2], 87, 4.0, 0, -0.5);
  arch_branch(&shape->tube[3], 114, 4.5, 3, 2);
  ht_tube_spline(&shape->vein, vein, COUNT(vein), 0.8);
  shape->tube[0].end[0] = (ht_tube_end){"inlet", HT_ROLE_INLET, wanted->flow_ml_s};
  shape->tube[0].end[1] = (ht_tube_end){"descending-aorta", HT_ROLE_OUTLET, 0};
  shape->tube[1].end[1] = (ht_tube_end){"brachiocephalic", HT_ROLE_OUTLET, 0};
  shape->tube[2].end[1] = (ht_tube_end){"left-carotid", HT_ROLE_OUTLET, 0};
  shape->tube[3].end[1] = (ht_tube_end){"left-subclavian", HT_ROLE_OUTLET, 0};
  double scale = wanted->is_child ? child_mm / adult_mm : 1;
  if (wanted->is_child) scale_shape(shape, scale);
  describe_coarctation(wanted->severity_percent, scale, shape);
}

/* Poiseuille flow: radius 2 mm, 1 mL/s, so a mean velocity of 0.0796 m/s and a Reynolds number of
 * 96. */
static void pipe(const ht_phantom_options *wanted, const double direction[3], double x, double y,
                 double z, ht_shape *shape) {
  *shape = (ht_shape){
      .tubes = 1,
      .box_mm = {x, y, z},
      .spacing_mm = 0.25,
      .noise = 0.03,
      .tilt_max_degrees = 8,
      .tissue = 40,
      .blood = 400,
      .pipe_radius_mm = 2,
      .smallest_radius_mm = 2,
      .density_kg_m3 = HT_BLOOD_DENSITY_KG_M3,
      .viscosity_pa_s = HT_BLOOD_VISCOSITY_PA_S,
  };
  double control[2][4], length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] +
                                      direction[2] * direction[2]);
  for (int i = 0; i < 2; i++) {
    for (int c = 0; c < 3; c++) control[i][c] = (i ? 40 : -40) * direction[c] / length;
    control[i][3] = 2;
  }
  ht_tube_spline(&shape->tube[0], control, 2, 1);
  shape->tube[0].end[0] = (ht_tube_end){"inlet", HT_ROLE_INLET, wanted->flow_ml_s};
  shape->tube[0].end[1] = (ht_tube_end){"outlet", HT_ROLE_OUTLET, 0};
}

static void shape_straight_pipe(const ht_phantom_options *wanted, ht_shape *shape) {
  pipe(wanted, (double[3]){0, 0, 1}, 16, 16, 24, shape);
}

/* 36.7 degrees to z: 24 mm long between the faces normal to z, clear of the other faces. */
static void shape_oblique_pipe(const ht_phantom_options *wanted, ht_shape *shape) {
  pipe(wanted, (double[3]){1, 2, 3}, 16, 24, 24 * 3 / sqrt(14), shape);
}

/* A scan of a straight vessel along z, with nothing else in it. */
static void straight_scan(double width_mm, double length_mm, double spacing_mm, ht_shape *shape) {
  *shape = (ht_shape){
      .tubes = 1,
      .box_mm = {width_mm, width_mm, length_mm},
      .spacing_mm = spacing_mm,
      .noise = 0.03,
      .tilt_max_degrees = 0.5,
      .tissue = 40,
      .blood = 400,
      .density_kg_m3 = HT_BLOOD_DENSITY_KG_M3,
      .viscosity_pa_s = HT_BLOOD_VISCOSITY_PA_S,
  };
}

static void straight_ends(double flow_ml_s, ht_shape *shape) {
  shape->tube[0].end[0] = (ht_tube_end){"inlet", HT_ROLE_INLET, flow_ml_s};
  shape->tube[0].end[1] = (ht_tube_end){"outlet", HT_ROLE_OUTLET, 0};
}

/* P. Hariharan et al., J. Biomech. Eng. 133 (2011) 041002: pipe 12 mm, cone of 20 degrees, throat 4
 * mm across and 40 mm long, sudden expansion to 12 mm; blood analogue of 1056 kg/m3. */
static void shape_fda_nozzle(const ht_phantom_options *wanted, ht_shape *shape) {
  const double pipe = 6, throat = 2, length = 40, ends = 140;
  const double cone = (pipe - throat) / tan(10 * HT_PI / 180);
  const double wall[][2] = {{-ends, pipe},     {-length - cone, pipe},
                            {-length, throat}, {0, throat},
                            {0, pipe},         {ends, pipe}};
  const double axis[2][4] = {{0, 0, -ends, pipe}, {0, 0, ends, pipe}}, middle[3] = {0, 0, -20};
  straight_scan(20, 200, 0.4, shape); /* wide enough for an automatic threshold */
  shape->density_kg_m3 = 1056;
  shape->smallest_radius_mm = throat;
  shape->meridian_points = COUNT(wall);
  memcpy(shape->meridian, wall, sizeof wall);
  ht_tube_spline(&shape->tube[0], axis, 2, 1);
  double flow_ml_s = wanted->flow_ml_s;
  if (wanted->reynolds > 0) flow_ml_s = flow_of(shape, wanted->reynolds, 2 * throat);
  straight_ends(flow_ml_s, shape);
  set_narrowing(shape, 2 * pipe, 2 * throat, middle, flow_ml_s);
}

/* The narrowing of Young & Tsai, J. Biomech. 6 (1973) 395, as Varghese, Frankel & Fischer, J. Fluid
 * Mech. 582 (2007) 253 use it: a cosine, two diameters long, whose axis is off that of the pipe by
 * the same cosine. The pipe is 6 mm across; 5 diameters before the throat, 14 after it. */
static void shape_stenosis(const ht_phantom_options *wanted, ht_shape *shape) {
  enum { STEPS = 24 };
  const double pipe = 3, half = 6, ends = 80, middle = -27;
  double throat = 0.5 * throat_of(2 * pipe, wanted->severity_percent), control[STEPS + 5][4];
  double off = 0.02 * pipe * wanted->eccentricity_percent;
  int count = 0;
  straight_scan(10, 114, 0.3, shape);
  shape->smallest_radius_mm = throat;
  for (int i = -2; i <= STEPS + 2; i++) { /* one step of pipe at either end keeps it straight */
    double z = middle + half * (2.0 * i / STEPS - 1);
    if (i == -2 || i == STEPS + 2) z = i < 0 ? -ends : ends;
    double part = ht_narrowing_bump(z - middle, half);
    double point[4] = {off * part, 0, z, pipe - (pipe - throat) * part};
    memcpy(control[count++], point, sizeof point);
  }
  ht_tube_spline(&shape->tube[0], control, count, 0.5);
  double flow_ml_s = wanted->flow_ml_s;
  if (wanted->reynolds > 0) flow_ml_s = flow_of(shape, wanted->reynolds, 2 * pipe);
  straight_ends(flow_ml_s, shape);
  set_narrowing(shape, 2 * pipe, 2 * throat, (double[3]){off, 0, middle}, flow_ml_s);
  shape->narrowing.eccentricity_percent = wanted->eccentricity_percent;
}

/* ---- The table ---- */

typedef struct {
  const char *name;
  void (*make)(const ht_phantom_options *wanted, ht_shape *shape);
  double flow_ml_s, reynolds; /* its own; one of them is 0 */
  double severity_most;       /* per cent of the area; 0: it has no severity */
  double severity_percent;    /* its own; NAN: none */
  int takes_reynolds, takes_child, takes_eccentricity;
} kind_row;

static const kind_row kinds[HT_PHANTOM_KINDS] = {
    {"aneurysm", shape_aneurysm, 2, 0, 0, NAN, 0, 0, 0},
    {"coarctation", shape_coarctation, 80, 0, 85, NAN, 0, 1, 0},
    {"pipe", shape_straight_pipe, 1, 0, 0, NAN, 0, 0, 0},
    {"pipe-oblique", shape_oblique_pipe, 1, 0, 0, NAN, 0, 0, 0},
    {"fda-nozzle", shape_fda_nozzle, 0, 500, 0, NAN, 1, 0, 0},
    {"stenosis", shape_stenosis, 0, 500, 90, 75, 1, 0, 1},
};

const char *ht_shape_name(int kind) {
  return kind >= 0 && kind < HT_PHANTOM_KINDS ? kinds[kind].name : NULL;
}

void ht_shape_defaults(ht_phantom_kind kind, ht_phantom_options *options) {
  options->kind = kind;
  options->severity_percent = options->eccentricity_percent = NAN;
  options->is_child = 0;
  options->flow_ml_s = options->reynolds = 0;
}

/* ---- The options ---- */

static ht_status refuse(const kind_row *kind, const char *option, const char *kinds_with_it) {
  return ht_fail(HT_ERR_USAGE, "the phantom '%s' takes no %s: %s", kind->name, option,
                 kinds_with_it);
}

static ht_status check_taken(const kind_row *kind, const ht_phantom_options *asked) {
  if (!isnan(asked->severity_percent) && kind->severity_most == 0)
    return refuse(kind, "severity", "coarctation and stenosis do");
  if (!isnan(asked->eccentricity_percent) && !kind->takes_eccentricity)
    return refuse(kind, "eccentricity", "stenosis does");
  if (asked->is_child && !kind->takes_child)
    return refuse(kind, "size of a child", "coarctation does");
  if (asked->reynolds != 0 && !kind->takes_reynolds)
    return refuse(kind, "Reynolds number", "fda-nozzle and stenosis do; give a flow");
  if (asked->reynolds != 0 && asked->flow_ml_s != 0)
    return ht_fail(HT_ERR_USAGE, "the phantom '%s': give a flow or a Reynolds number, not both",
                   kind->name);
  return HT_OK;
}

/* Largest offset: farther off the axis, the throat would reach out of the pipe. */
static double eccentricity_most(double severity_percent) {
  return 50 * (1 - sqrt(1 - severity_percent / 100));
}

static ht_status check(const char *what, double value, double least, double most) {
  if (value >= least && value <= most) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "the phantom's %s is %g: allowed is %g to %.4g", what, value, least,
                 most);
}

static ht_status check_ranges(const kind_row *kind, const ht_phantom_options *wanted) {
  if (wanted->flow_ml_s != 0) HT_TRY(check("flow (mL/s)", wanted->flow_ml_s, 0.01, 1000));
  if (wanted->reynolds != 0) HT_TRY(check("Reynolds number", wanted->reynolds, 1, 20000));
  if (!isnan(wanted->severity_percent))
    HT_TRY(
        check("severity (per cent of the area)", wanted->severity_percent, 0, kind->severity_most));
  if (!kind->takes_eccentricity) return HT_OK;
  return check("eccentricity (per cent of the diameter)", wanted->eccentricity_percent, 0,
               eccentricity_most(wanted->severity_percent));
}

static void fill_in(const kind_row *kind, const ht_phantom_options *asked,
                    ht_phantom_options *wanted) {
  *wanted = *asked;
  if (isnan(asked->severity_percent)) wanted->severity_percent = kind->severity_percent;
  if (isnan(asked->severity_percent) && asked->is_child)
    wanted->severity_percent = 100 * (1 - pow(child_throat_mm / child_mm, 2));
  if (isnan(asked->eccentricity_percent)) wanted->eccentricity_percent = 0;
  if (asked->flow_ml_s != 0 || asked->reynolds != 0) return;
  wanted->flow_ml_s = asked->is_child ? child_ml_s : kind->flow_ml_s;
  wanted->reynolds = kind->reynolds;
}

ht_status ht_shape_make(const ht_phantom_options *options, ht_shape **shape) {
  const kind_row *kind = &kinds[options->kind];
  ht_phantom_options wanted;
  *shape = NULL;
  HT_TRY(check_taken(kind, options));
  fill_in(kind, options, &wanted);
  HT_TRY(check_ranges(kind, &wanted));
  HT_TRY(ht_alloc((void **)shape, 1, sizeof **shape, "the phantom's shape"));
  kind->make(&wanted, *shape);
  return HT_OK;
}

static ht_shape shapes[HT_PHANTOM_KINDS];
static once_flag shapes_once = ONCE_FLAG_INIT;

static void shapes_make(void) {
  for (int k = 0; k < HT_PHANTOM_KINDS; k++) {
    ht_phantom_options own = {0}, wanted;
    ht_shape_defaults((ht_phantom_kind)k, &own);
    fill_in(&kinds[k], &own, &wanted);
    kinds[k].make(&wanted, &shapes[k]);
  }
}

const ht_shape *ht_shape_of(ht_phantom_kind kind) {
  assert((int)kind >= 0 && kind < HT_PHANTOM_KINDS);
  call_once(&shapes_once, shapes_make);
  return &shapes[kind];
}
