/* Symmetric matrices. */
#ifndef HT_SYMMETRIC_H
#define HT_SYMMETRIC_H

#ifdef __cplusplus
extern "C" {
#endif

/* Turns a symmetric matrix m [n][n] by Jacobi's rotations until it is diagonal; the columns of
 * `turn` [n][n] are its eigenvectors, the diagonal of m their values. For small n. */
void ht_diagonalise(int n, double *m, double *turn);

#ifdef __cplusplus
}
#endif
#endif
