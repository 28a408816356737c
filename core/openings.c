#include "openings.h"

const char *ht_role_name(ht_role role) {
  switch (role) {
  case HT_ROLE_INLET:
    return "inlet";
  case HT_ROLE_OUTLET:
    return "outlet";
  case HT_ROLE_WALL:
    return "wall";
  case HT_ROLE_NONE:
    break;
  }
  return "none";
}
