/* Brightness of the tissue around a vessel with two kinds of surroundings. Private to segment/. */
#ifndef HT_TISSUE_H
#define HT_TISSUE_H

/* Returns the tissue's value among those around a vessel that lies in part next to something far
 * darker, as a vessel of the chest next to lung: the median of the values nearer to blood than to
 * the darkest, where these are a good share. A level half-way from blood to the dark would leave
 * the vessel through every other border. Returns NAN where the surroundings are of one kind. Sorts
 * `value` [count]. */
double ht_tissue_beside_dark(double *value, int count, double blood);

#endif
