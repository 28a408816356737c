/* The lattice Boltzmann models: collision, equilibrium, and the storage of values. In the part of C
 * that CUDA C++ also takes. */
#ifndef HT_MODEL_H
#define HT_MODEL_H

#ifdef __cplusplus
extern "C" {
#endif

/* Storage format of the distribution functions. fp16 is computed in fp32. */
typedef enum { HT_FP32 = 0, HT_FP64, HT_FP16 } ht_precision;
/* LBGK (one relaxation time) and MRT (d'Humieres et al., Phil. Trans. R. Soc. A 360 (2002) 437) on
 * D3Q19; the cumulants of Geier, Pasquali & Schonherr, J. Comput. Phys. 348 (2017) 862 on D3Q27. */
typedef enum { HT_LBGK = 0, HT_MRT, HT_CUMULANT } ht_collision;
/* Equilibrium of He & Luo (1997), whose velocity does not depend on the density's deviation, or the
 * usual one (Qian et al. 1992), a weakly compressible fluid. */
typedef enum { HT_INCOMPRESSIBLE = 0, HT_QUASI_COMPRESSIBLE } ht_compressibility;

/* The names in case files, options and results, in the order of the values; NULL at the end. */
extern const char *const ht_precision_words[];
extern const char *const ht_collision_words[];
extern const char *const ht_compressibility_words[];

int ht_precision_bytes(ht_precision precision); /* of a stored value */

/* A collision, a compressibility and, for a viscosity that depends on the shear rate, a local
 * relaxation rate, as one number: an int, so that it can be a template argument, and a macro, so
 * that host and device share it and a constant model leaves no branch. HT_MODELS: without a local
 * rate, 0 to HT_MODELS - 1. Cumulants are quasi-compressible, whatever compressibility is
 * requested. */
#define HT_MODEL(collision, compressibility)                                                       \
  ((collision) == HT_CUMULANT ? HT_MODEL_CUMULANT : 2 * (int)(collision) + (int)(compressibility))
#define HT_MODEL_LOCAL(model) ((model) + HT_MODELS)
enum { HT_MODEL_CUMULANT = 4, HT_MODELS };

#define HT_MODEL_IS_LOCAL(model)  ((model) >= HT_MODELS)
#define HT_MODEL_GLOBAL(model)    ((model) % HT_MODELS)
#define HT_MODEL_COLLISION(model) ((ht_collision)(HT_MODEL_GLOBAL(model) / 2))
#define HT_MODEL_COMPRESSIBILITY(model)                                                            \
  (HT_MODEL_GLOBAL(model) == HT_MODEL_CUMULANT ? HT_QUASI_COMPRESSIBLE                             \
                                               : (ht_compressibility)(HT_MODEL_GLOBAL(model) % 2))
/* Numbers of cumulant_rates in cumulant.h. */
enum { HT_CUMULANT_RATES = 6 };

/* 19 or 27, see directions.h. */
#define HT_COLLISION_DIRECTIONS(collision) ((collision) == HT_CUMULANT ? 27 : 19)
#define HT_MODEL_DIRECTIONS(model)         HT_COLLISION_DIRECTIONS(HT_MODEL_COLLISION(model))

#ifdef __cplusplus
}
#endif
#endif
