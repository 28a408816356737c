#include "app/pacs/carried.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ht_carried_series *find(const ht_carried *list, int sender, const char *study,
                               const char *series) {
  for (int i = 0; i < list->count; i++)
    if (list->entry[i].sender == sender && strcmp(list->entry[i].series, series) == 0 &&
        strcmp(list->entry[i].study, study) == 0)
      return &list->entry[i];
  return NULL;
}

static ht_status find_or_add(ht_carried *list, int sender, const char *study, const char *series,
                             ht_carried_series **found) {
  *found = find(list, sender, study, series);
  if (*found) return HT_OK;
  if (list->count == list->capacity) {
    const int more = list->capacity ? 2 * list->capacity : 16;
    ht_carried_series *grown = realloc(list->entry, (size_t)more * sizeof *grown);
    if (!grown) return ht_fail(HT_ERR_MEMORY, "not enough memory for the list of series");
    list->entry = grown;
    list->capacity = more;
  }
  *found = &list->entry[list->count++];
  **found = (ht_carried_series){.sender = sender};
  snprintf((*found)->study, sizeof(*found)->study, "%s", study);
  snprintf((*found)->series, sizeof(*found)->series, "%s", series);
  return HT_OK;
}

ht_status ht_carried_add(ht_carried *list, int sender, const char *study, const char *series,
                         int is_new, int was_broken) {
  ht_carried_series *entry;
  HT_TRY(find_or_add(list, sender, study, series, &entry));
  entry->came++;
  entry->fresh += is_new;
  entry->retry |= was_broken;
  return HT_OK;
}

int ht_carried_has(const ht_carried *list, int sender, const char *study, const char *series) {
  const ht_carried_series *entry = find(list, sender, study, series);
  return entry && entry->came;
}

int ht_carried_study(const ht_carried *list, const char *study) {
  for (int i = 0; i < list->count; i++)
    if (list->entry[i].came && strcmp(list->entry[i].study, study) == 0) return 1;
  return 0;
}

/* Returns 1 where another open association brings the series, too, and may yet complete it. */
static int is_open(const ht_carried *list, const ht_carried_series *of) {
  for (int i = 0; i < list->count; i++) {
    const ht_carried_series *one = &list->entry[i];
    if (one->sender != of->sender && one->came && !one->broken &&
        strcmp(one->series, of->series) == 0 && strcmp(one->study, of->study) == 0)
      return 1;
  }
  return 0;
}

/* Marks the series as broken: what the others bring may be the other half of it. */
static ht_status break_series(ht_carried *list, const ht_carried_series *of, unsigned open) {
  for (int other = 0; other < 32; other++) {
    ht_carried_series *entry;
    if (!(open >> other & 1) || other == of->sender) continue;
    HT_TRY(find_or_add(list, other, of->study, of->series, &entry));
    entry->broken = 1;
  }
  return HT_OK;
}

static void drop(ht_carried *list, int sender) {
  int kept = 0;
  for (int i = 0; i < list->count; i++)
    if (list->entry[i].sender != sender) list->entry[kept++] = list->entry[i];
  list->count = kept;
}

ht_status ht_carried_end(ht_carried *list, int sender, int released, unsigned open,
                         void (*whole)(void *user, const ht_carried_series *series), void *user) {
  const int count = list->count;
  ht_status status = HT_OK;
  for (int i = 0; i < count && status == HT_OK; i++) {
    const ht_carried_series one = list->entry[i]; /* the list may grow */
    if (one.sender != sender || !one.came) continue;
    if (!released)
      status = break_series(list, &one, open);
    else if (!one.broken && !is_open(list, &one))
      whole(user, &one);
  }
  drop(list, sender);
  return status;
}

void ht_carried_free(ht_carried *list) {
  free(list->entry);
  *list = (ht_carried){0};
}
