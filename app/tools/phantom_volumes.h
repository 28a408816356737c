/* `hemotile phantom volumes`: labelled volumes in one file. */
#ifndef HT_PHANTOM_VOLUMES_H
#define HT_PHANTOM_VOLUMES_H

#include "app/common/arguments.h"

/* Makes and writes them; prints where they are. HT_ERR_USAGE: an option that they do not take;
 * HT_ERR_MEMORY, HT_ERR_WRITE, HT_ERR_INTERRUPTED. */
ht_status ht_phantom_volumes(const ht_arguments *arguments);

#endif
