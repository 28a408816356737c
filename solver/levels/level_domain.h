/* The geometry of a lattice of several spacings, from a flow domain on the finest of them. Private
 * to solver/. */
#ifndef HT_LEVEL_DOMAIN_H
#define HT_LEVEL_DOMAIN_H

#include "solver/levels/level_setup.h"
#include "core/vessel/domain.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int levels;                           /* 1: nowhere coarser, and nothing else is made */
  ht_domain domain[HT_LEVELS_MOST];     /* of each, from the coarsest, all over the same box: that
                                           of the domain, longer where it has to be a multiple.
                                           Ports of other levels have no nodes. Owned */
  ht_domain coarsest;                   /* that with the ports of all levels (ht_port.halvings). Its
                                           arrays are borrowed from these */
  uint8_t *refined[HT_LEVELS_MOST];     /* see ht_level_setup. Owned */
  ht_level_setup level[HT_LEVELS_MOST]; /* of these */
} ht_level_domain;

/* Makes levels where the lattice may be coarser: `coarser` [voxels of `fine`] numbers of halvings,
 * 0 to `most`, at its fluid voxels. A level is coarser in whole blocks of 4x4x4 of its voxels;
 * between two levels of which one is not next to the other lies a block of the one between. A port
 * is on the finest level that its extension asks for, or that of a port so near that they share
 * blocks; so are all of its extension, and the vessel up to four voxels from there or from where
 * the opening's pressure is measured. HT_ERR_MEMORY, HT_ERR_OPENINGS (a port has no node on its
 * level). The caller frees, after a failure too. */
ht_status ht_level_domain_make(const ht_domain *fine, const uint8_t *coarser, int most,
                               ht_level_domain *made);
void ht_level_domain_free(ht_level_domain *made);

/* Tells whether a port is on a level. */
int ht_level_domain_has_ports(const ht_level_domain *made, int level);

/* Returns the level whose flow it is at a voxel of the finest. */
int ht_level_domain_level_at(const ht_level_domain *made, const int at[3]);

#ifdef __cplusplus
}
#endif
#endif
