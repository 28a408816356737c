/* Reads YAML (and JSON, which is YAML) with libfyaml. Messages have the line and column. */
#ifndef HT_YAML_FILE_H
#define HT_YAML_FILE_H

#include "core/status.h"
#include "core/vessel/volume.h"
#include <libfyaml.h>
#include <stdint.h>

typedef struct {
  char *text; /* the document points into it */
  struct fy_document *document;
  struct fy_node *root; /* a mapping */
} ht_yaml;

/* Reads a file of one document whose top level is a mapping. HT_ERR_NOT_FOUND, or `code` with
 * "file:line:column: ...". Free with ht_yaml_free, also after a failure. */
ht_status ht_yaml_read(const char *path, ht_status code, ht_yaml *yaml);

/* Reads from a text of `length` bytes, which is copied; `name` stands for the file in messages. */
ht_status ht_yaml_parse(const char *name, const char *text, size_t length, ht_status code,
                        ht_yaml *yaml);
void ht_yaml_free(ht_yaml *yaml);

/* Finds line and column of a scalar, from 1; for a list or mapping those of its first scalar; 0, 0
 * where there is none. */
void ht_yaml_position(struct fy_node *node, int *line, int *column);

/* Returns the value of a key of a mapping, NULL where absent. The functions below are for files
 * that hemotile wrote itself: where the key is absent or of another type they leave the value
 * unchanged and return 0. */
struct fy_node *ht_yaml_get(struct fy_node *mapping, const char *key);
int ht_yaml_number(struct fy_node *mapping, const char *key, double *value);
int ht_yaml_integer(struct fy_node *mapping, const char *key, int64_t *value);
int ht_yaml_int(struct fy_node *mapping, const char *key, int *value);
int ht_yaml_bool(struct fy_node *mapping, const char *key, int *value);
int ht_yaml_text(struct fy_node *mapping, const char *key, char *value, size_t size);
int ht_yaml_numbers(struct fy_node *mapping, const char *key, double *values, int count);

/* Reads three numbers from -1e5 to 1e5, as the points of a case file: they become voxel numbers,
 * which are ints. */
int ht_yaml_point(struct fy_node *mapping, const char *key, double point[3]);

#endif
