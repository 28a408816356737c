/* `hemotile phantom scene`: a random scene in a folder. */
#ifndef HT_PHANTOM_SCENE_H
#define HT_PHANTOM_SCENE_H

#include "app/common/arguments.h"

/* Reads the seed of a kind that takes no other setting. HT_ERR_USAGE where another was typed. */
ht_status ht_phantom_seed(const ht_arguments *arguments, uint64_t *seed);

/* Makes the scene and writes it; prints where it is. HT_ERR_USAGE: an option that a scene does not
 * take; HT_ERR_MEMORY, HT_ERR_WRITE, HT_ERR_INTERRUPTED. */
ht_status ht_phantom_scene(const ht_arguments *arguments);

#endif
