/* Orders of a run: the case, the folder of its results, the stages, and the options of the command
 * that are no settings of the case. */
#ifndef HT_GIVEN_H
#define HT_GIVEN_H

#include "core/text/shell_word.h"
#include "core/vessel/volume.h"
#include "run/case/case.h"
#include "run/folder/folder.h"
#include "run/record/manifest.h"
#include <sys/types.h>

typedef struct {
  ht_case *settings; /* owned; the stages complete them */
  char folder[HT_PATH_MAX];
  char typed[HT_SHELL_WORD_MAX(HT_PATH_MAX)]; /* the folder as a word of a shell */
  ht_stage first, last;
  int force;         /* --force: replace a mask edited by hand, and the case of another scan */
  int dry;           /* --dry-run: the flow is planned and not computed */
  int restart;       /* --restart: the flow begins from the start, whatever checkpoints there are */
  int only_page;     /* the report and its pictures: no paths through the vessel */
  int no_pictures;   /* --no-pictures: the export leaves out what `report` can draw */
  double share;      /* part of lattice.within that this flow may take; 0: all of it */
  const char *again; /* command that begins all again, for a hint; NULL: `hemotile run FOLDER` */
  int parts;         /* --parts: number of ranks whose parts the tiling shows; 0: none */
  double begun_s;    /* start on ht_clock_s: of the program for its first case */
  mode_t umask;      /* the one before this run, to which ht_run_free goes back */
  const ht_manifest *repeats; /* record that the run repeats; NULL: none. Borrowed */
  const ht_volume *wall;      /* distance from the wall of a mask that the program made; NULL: no.
                                 Borrowed */
} ht_given;

/* Returns the name of a case in the folder `results`: settings->name, else that folder's name (in
 * `folder`). */
const char *ht_name_in(const ht_case *settings, const char *results, char folder[HT_PATH_MAX]);

/* Returns the name of the case in the run's own folder. */
const char *ht_run_name(const ht_given *given, char folder[HT_PATH_MAX]);

#endif
