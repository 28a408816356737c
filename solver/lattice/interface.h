/* The interface of two levels of a lattice as lists of nodes, and what a backend does with them.
 * Private to solver/.
 *
 * The fine level has half of the spacing and of the step. Each level is a lattice of its own whose
 * outermost nodes, its outer ones, have no neighbours to pull from: their values after a collision
 * are made of the other level's (kernels/level_node.h). So a coarse step is
 *   coarse step; fine step; exchange; fine step; balance
 * since after the first two both levels hold the values after the collision at the same time. A
 * step makes one layer of outer nodes wrong: the fine level has two, the coarse level one, and no
 * values between two steps have to be found.
 *
 * A state is read from nodes that are not outer ones, made of eight states of the other level, or
 * where the wall leaves no such node extrapolated from states on its own level.
 *
 * Interpolation alone conserves mass to its second order only. The flow is the coarse level's on
 * one side of the interface, the fine level's on the other, and what crosses it on the links of one
 * is not quite what crosses it on those of the other. So what crosses is counted on both (8 times
 * that of the coarse step, less that of both fine steps), and the difference is taken from the
 * values at rest of all nodes of the coarse level but those of ports, in equal parts, a 1 /
 * HT_LEVEL_STEPS of what is owed in each coarse step: no mass is lost, and none appears at one
 * place or at one time. (Taken at once every so many steps, it is a stroke that drives a sound of
 * that period. Taken from the nodes at the interface, as finite volumes correct their fluxes, it
 * makes a sheet of sinks there, which the interface answers by a larger difference:
 * docs/notes/solver/levels.md.) Momentum is not corrected. */
#ifndef HT_INTERFACE_H
#define HT_INTERFACE_H

#include "core/status.h"
#include <stdint.h>

/* Values of a state, see level_node.h. */
enum { HT_LEVEL_VALUES = 10 };

/* Kinds of the values of a state, each with weights of its own. */
enum { HT_OF_DENSITY = 0, HT_OF_VELOCITY, HT_OF_STRAIN, HT_LEVEL_KINDS };

/* A state that is extrapolated: the sum of weight * state over its terms. */
typedef struct {
  int32_t state, first, terms; /* terms: first .. first + terms - 1 */
} ht_level_guess;

/* States of one level: those of `node` first, then (coarse) those of the blocks, then the
 * guesses. */
typedef struct {
  int64_t states, reads, guesses, terms;
  int64_t *node;         /* [reads] tile * 64 + local */
  ht_level_guess *guess; /* [guesses] */
  int32_t *from;         /* [terms] states that are read or made */
  float *weight;         /* [terms][HT_LEVEL_KINDS] */
} ht_level_states;

/* An outer node of the coarse level, in the middle of eight nodes of the fine level. */
typedef struct {
  int32_t corner[8]; /* fine states, x + 2 y + 4 z */
  int64_t node;      /* its state is reads + the block's number */
} ht_level_block;

/* Outer nodes of the fine level in the middle of eight nodes of the coarse level. */
typedef struct {
  int32_t corner[8]; /* coarse states */
  int64_t node[8];   /* the one nearest to each corner; -1: not an outer node */
} ht_level_cell;

/* A coarse node (is_fine 0) or a fine outer node (1) whose links cross the interface. */
typedef struct {
  int64_t node;
  uint32_t links; /* bit q of D3Q27: the node along q is on the other side */
  int32_t is_fine;
} ht_level_edge;

/* Coarse steps in which what is owed falls to a part of e. */
enum { HT_LEVEL_STEPS = 64 };

typedef struct {
  ht_level_states coarse, fine;
  int64_t blocks, cells, edges;
  ht_level_block *block; /* [blocks] */
  ht_level_cell *cell;   /* [cells] */
  ht_level_edge *edge;   /* [edges] the coarse ones first */
} ht_interface;

#endif
