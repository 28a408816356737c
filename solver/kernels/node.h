/* The physics of one node in one precision, written once in the part of C that CUDA C++ also
 * takes. Included with HT_REAL (float or double) and HT_NODE(name) defined, once for each
 * precision; no include guard on purpose. */
#include "solver/kernels/moments.h"

#include "solver/kernels/body_force.h"

#include "solver/kernels/cumulant.h"

#include "solver/kernels/diagonal.h"

#include "solver/kernels/collide.h"

#include "solver/kernels/local_rate.h"

#include "solver/kernels/stress.h"

#include "solver/kernels/zou_he.h"
