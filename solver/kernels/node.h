/* The physics of one node in one precision, written once in the part of C that CUDA C++ also
 * takes. Included with HT_REAL (float or double) and HT_NODE(name) defined, once for each
 * precision; no include guard on purpose. */
#include "moments.h"

#include "body_force.h"

#include "cumulant.h"

#include "diagonal.h"

#include "collide.h"

#include "local_rate.h"

#include "stress.h"

#include "zou_he.h"
