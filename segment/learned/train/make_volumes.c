/* `hemotile phantom volumes` as a program of its own, for machines without ITK and DCMTK:
 *
 *     make_volumes FILE SEED COUNT EDGE
 */
#include "phantom/labelled/labelled.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc != 5) {
    fputs("usage: make_volumes FILE SEED COUNT EDGE\n", stderr);
    return HT_ERR_USAGE;
  }
  ht_status status =
      ht_labelled_write(argv[1], strtoull(argv[2], NULL, 10), atoi(argv[3]), atoi(argv[4]), NULL);
  if (status != HT_OK) fprintf(stderr, "make_volumes: %s\n", ht_error_message());
  return (int)status;
}
