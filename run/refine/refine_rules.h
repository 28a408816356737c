/* The rules by which a part of a vessel may have a coarser lattice than the finest: one function
 * for each. A level is a number of halvings: on level n the spacing is 2^n times the finest. */
#ifndef HT_REFINE_RULES_H
#define HT_REFINE_RULES_H

#include <stdint.h>

/* HT_REFINE_OUTLET_ACROSS: nodes that an outlet keeps across; an inlet keeps
 * HT_REFINE_INLET_ACROSS. HT_REFINE_LAYER: nodes of a level between the wall and the next coarser
 * level, where that would be too coarse at the wall. */
enum { HT_REFINE_INLET_ACROSS = 20, HT_REFINE_OUTLET_ACROSS = 8, HT_REFINE_LAYER = 6 };

/* Updates with interfaces over those without (docs/notes/solver/levels.md#speed); several levels
 * are used where they take at most the second share of the updates of one spacing. */
#define HT_REFINE_OVERHEAD 1.1
#define HT_REFINE_PAYS     0.6

/* A coarser lattice may cut an inlet so much smaller that its velocity rises by this factor. */
#define HT_REFINE_INLET_SPEED 1.1

/* Reynolds number of a narrow place below which its jet may stay laminar, and so many times the
 * reach that a jet has above it: where it breaks up is decided by small disturbances, also by those
 * of an interface (docs/notes/solver/where-levels.md#jets). */
#define HT_REFINE_TURBULENT   1500
#define HT_REFINE_LAMINAR_JET 10

/* Part of a tau around 1 on which levels cannot be coupled (docs/notes/solver/levels.md). */
#define HT_REFINE_NEAR_1 0.02

/* Reasons for the finest spacing. */
typedef enum {
  HT_FINE_NOT,    /* it may be coarser */
  HT_FINE_JET,    /* the throat, or the jet after it */
  HT_FINE_NECK,   /* the neck of a sac */
  HT_FINE_NARROW, /* too few nodes across */
  HT_FINE_SPEED,  /* too high a cell Reynolds number */
  HT_FINE_WALL,   /* too large a dx+ at the wall */
  HT_FINE_BLOCK,  /* levels change at whole blocks, and by one level only */
  HT_FINE_REASONS
} ht_fine_reason;

/* What the rules compare with. */
typedef struct {
  double spacing_mm; /* of the finest level */
  double across;     /* nodes that a section needs across: ht_refine_across */
  double kinematic_m2_s, cell_reynolds_max, dx_plus_max;
  double inlet_cell_reynolds; /* at the inlets, on the finest level */
  int most;                   /* highest level anywhere */
} ht_refine_rules;

/* An end of the vessel: a port with its extension. */
typedef struct {
  double cells;       /* of the extension */
  double diameter_mm; /* of the opening */
  int is_inlet;
} ht_refine_end;

/* A section of the vessel. */
typedef struct {
  int64_t cells;      /* of the vessel that belong to it */
  double diameter_mm; /* of the largest ball in it; where it carries the flow, without the sac or
                         the branch that it meets */
  double speed_m_s;   /* mean over it at the beat's peak; 0: nothing flows through it */
  int is_jet;         /* 1: in the throat or a narrow place about as fast, or in the jet after it */
} ht_refine_section;

/* Returns dx+, a spacing in wall units, that is planned in a flow with a mean velocity in a
 * section: dx sqrt(tau / density) / nu, with the wall shear stress of developed flow, laminar (8 mu
 * U / D) or turbulent (Blasius: 0.0396 density U^2 Re^-1/4), the larger. In a short throat it is
 * more. 0: nothing flows. */
double ht_planned_dx_plus(double speed_m_s, double diameter_mm, double kinematic_m2_s,
                          double spacing_mm);

/* Returns the nodes that a section needs across, for a throat with `throat_nodes` on the finest
 * level: `least`, in proportion more where the throat has more than HT_REFINE_INLET_ACROSS. A
 * vessel of one width is one throat, so it has one spacing, whatever that is. */
double ht_refine_across(double least, double throat_nodes);

/* Returns the highest level that leaves enough nodes across a section. */
int ht_refine_width_level(const ht_refine_rules *rules, double diameter_mm);

/* Returns the highest level that keeps the cell Reynolds number of a mean velocity. */
int ht_refine_speed_level(const ht_refine_rules *rules, double speed_m_s);

/* Returns the highest level of a section, and why it is not a higher one. */
int ht_refine_section_level(const ht_refine_rules *rules, const ht_refine_section *section,
                            ht_fine_reason *why);

/* Returns how far the jet of a narrow place reaches, mm: `diameters` of its own, more where its
 * Reynolds number is low. */
double ht_refine_jet_mm(double diameters, double speed_m_s, double diameter_mm,
                        double kinematic_m2_s);

/* Returns the thickness of the layer at the wall, mm, that a section on `level` needs below that
 * level; 0: its dx+ is small enough. */
double ht_refine_layer_mm(const ht_refine_rules *rules, const ht_refine_section *section,
                          int level);

/* Returns the highest level that leaves a port enough nodes across, an inlet also its cell Reynolds
 * number. */
int ht_refine_end_level(const ht_refine_rules *rules, const ht_refine_end *end);

/* Returns the highest level, at most `most`, with a tau that the collision bears (tau_min) and that
 * can be coupled, as those of all levels below it; `tau` is that of the finest. */
int ht_refine_tau_level(double tau, double tau_min, int most);

/* Returns the updates of a level's nodes in a step of the finest level, over those of as large a
 * part on the finest level: 1 / 16^level. */
double ht_refine_work(int level);

#endif
