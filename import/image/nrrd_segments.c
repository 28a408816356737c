#include "import/image/nrrd_segments.h"
#include "core/disk/file.h"
#include "core/text/words.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "Segment3_Name:=artery": number 3 and what it is, "Name"; NULL of other lines. */
static const char *take_key(const char *line, int *number) {
  int used = 0;
  if (sscanf(line, "Segment%d_%n", number, &used) != 1 || used == 0) return NULL;
  return *number >= 0 && *number < HT_SEGMENTS_MAX ? line + used : NULL;
}

static void take_line(char *line, ht_nrrd_segments *to) {
  int number;
  const char *key = take_key(line, &number);
  char *value = key ? strstr(key, ":=") : NULL;
  if (!value) return;
  *value = 0;
  value += 2;
  value[strcspn(value, "\r\n")] = 0;
  if (number >= to->count) to->count = number + 1;
  if (strcmp(key, "Name") == 0)
    ht_text_copy(value, to->segment[number].name, sizeof to->segment[number].name);
  if (strcmp(key, "LabelValue") == 0) to->segment[number].value = atoi(value);
  if (strcmp(key, "Layer") == 0) to->segment[number].layer = atoi(value);
}

/* Removes the segments whose label is not given. */
static void close_ranks(ht_nrrd_segments *of) {
  int kept = 0;
  for (int i = 0; i < of->count; i++)
    if (of->segment[i].value > 0 && of->segment[i].layer >= 0) of->segment[kept++] = of->segment[i];
  of->count = kept;
}

ht_status ht_nrrd_segments_read(const char *path, ht_nrrd_segments *segments) {
  char line[HT_PATH_MAX];
  int continued = 0;
  memset(segments, 0, sizeof *segments);
  if (!ht_path_ends(path, ".nrrd") && !ht_path_ends(path, ".nhdr")) return HT_OK;
  FILE *file = ht_file_open(path);
  if (!file) return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot be read: %s", path, ht_file_reason());
  while (fgets(line, sizeof line, file) && (continued || (line[0] != '\n' && line[0] != '\r'))) {
    int whole = strchr(line, '\n') != NULL;
    if (!continued) take_line(line, segments);
    continued = !whole;
  }
  fclose(file);
  close_ranks(segments);
  return HT_OK;
}
