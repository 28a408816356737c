#include "run/checkpoint/run_names.h"
#include "run/process/console.h"
#include "run/privacy/redact.h"

/* Returns 1 where the name was removed. */
static int is_cleaned(char *name, const char *of, const char *then) {
  if (!name[0]) return 0;
  if (!ht_redact_holds(name)) {
    ht_redact_allow(name);
    return 0;
  }
  ht_console_warn("the name \"%s\" of %s may hold the patient's name, number or dates: %s "
                  "(--keep-identity keeps it)",
                  name, of, then);
  name[0] = 0;
  return 1;
}

static const char *name_to_come(ht_role role) {
  switch (role) {
  case HT_ROLE_INLET:
    return "it gets a name by its role, as \"inlet\"";
  case HT_ROLE_OUTLET:
    return "it gets a name by its role, as \"outlet-1\"";
  case HT_ROLE_WALL:
    return "it gets a name by its role, as \"wall-1\"";
  default:
    return "it gets a name by the role that is found for it, as \"inlet\" or \"outlet-1\"";
  }
}

void ht_run_clean_names(ht_case *settings) {
  if (settings->keep_identity) return;
  (void)is_cleaned(settings->name, "the case", "it has its folder's name now");
  for (int i = 0; i < settings->openings; i++) {
    ht_case_opening *one = &settings->opening[i];
    if (!ht_case_name_is_made_up(one->name))
      (void)is_cleaned(one->name, "an opening", name_to_come(one->role));
  }
}
