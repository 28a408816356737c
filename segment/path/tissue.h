/* The tissue around a vessel whose surroundings are of two kinds. Private to segment/. */
#ifndef HT_TISSUE_H
#define HT_TISSUE_H

/* The tissue among values around a vessel that lies in part beside something far darker, as a
 * vessel of the chest beside lung: the median of the values that are nearer to blood than to the
 * darkest, where these are a good share. A level half-way from blood to the dark would leave the
 * vessel through every other border. NAN where the surroundings are of one kind. Sorts `value`
 * [count]. */
double ht_tissue_beside_dark(double *value, int count, double blood);

#endif
