/* The members of a record in one table, from which its JSON is written and by which it is read:
 *
 *   const ht_member ht_machine_members[] = {
 *       {HT_MEMBER(ht_machine, "device", device), .options = HT_DECIDES},
 *       {HT_MEMBER(ht_machine, "load_percent", load), .times = 100},
 *       {0},
 *   };
 */
#ifndef HT_MEMBERS_H
#define HT_MEMBERS_H

#include "core/formats/json.h"
#include "run/folder/yaml_file.h"
#include <stddef.h>

typedef enum {
  HT_MEMBER_NUMBER,  /* double, or an array of them: a list */
  HT_MEMBER_INT,     /* int, or an array of them; with `words` an int or enum, the word's number */
  HT_MEMBER_INTEGER, /* int64_t */
  HT_MEMBER_TEXT,    /* char[] */
  HT_MEMBER_OBJECT,  /* an object with the members `inner` of the struct at `offset` */
  HT_MEMBER_GROUP,   /* members `inner` in the same object: only their conditions are shared */
  HT_MEMBER_ITEMS,   /* list of objects with the members `inner` of each struct of an array */
} ht_member_type;

/* How a member is written and read, as bits. A member is empty where it has the value that an
 * absent key leaves: 0 (or NaN) or "", with HT_ABSENT_NAN only a NaN. */
enum {
  HT_SIX_DIGITS = 1 << 0, /* of a measured number (ht_json_measured) */
  HT_BOOL = 1 << 1,       /* the int is true or false */
  HT_OPTIONAL = 1 << 2,   /* not written where it is empty */
  HT_DECIDES = 1 << 3,    /* an object or group whose members with this bit are all empty is not
                             written */
  HT_REQUIRED = 1 << 4,   /* ht_members_read reports it where it is absent */
  HT_NOT_READ = 1 << 5,   /* it follows from other members, or concerns one run alone */
  HT_ABSENT_NAN = 1 << 6, /* an absent key leaves NaN: the numbers are not known */
  HT_UNLESS = 1 << 7,     /* written where the flag is 0 instead; reading leaves the flag */
  HT_POSITION = 1 << 8,   /* a place in mm, which becomes voxels: numbers beyond 1e5 are not read */
};

typedef struct ht_member {
  const char *key; /* NULL: a group */
  ht_member_type type;
  size_t offset, size; /* in the record; size of the member, or of one of the items */
  unsigned options;
  size_t flag; /* 1 + offset of an int; 0: none. Writing: 0 leaves the member out. Reading a member
                  sets it to 1. Reading a group sets it to 1 where one member and all that are
                  required are there. */
  size_t number; /* 1 + offset of an int, the number of items or values, which reading sets; 0: all
                    values */
  size_t most;   /* items of the array */
  double times, over; /* what is written is times * value / over; 0 is 1 */
  const char *const *words;
  const struct ht_member *inner;
} ht_member;

/* Parts of an entry; the entry {0} ends a table. HT_MEMBER: a field, which gives the type: one of
 * another type does not compile. HT_OBJECT: the members of a struct in the record, as an object.
 * HT_PART: members of the record itself, as an object. HT_GROUP: members of the record (with HT_AT
 * of a struct in it) without an object. HT_ITEMS: an array of structs, whose number is in `count`.
 * HT_FLAG, HT_NUMBER_AT: the ints `flag` and `number`. */
#define HT_MEMBER_TYPE(record, field)                                                              \
  _Generic(((record *)0)->field,                                                                   \
      double: HT_MEMBER_NUMBER,                                                                    \
      double *: HT_MEMBER_NUMBER,                                                                  \
      double(*)[3]: HT_MEMBER_NUMBER,                                                              \
      int: HT_MEMBER_INT,                                                                          \
      unsigned: HT_MEMBER_INT,                                                                     \
      int *: HT_MEMBER_INT,                                                                        \
      int64_t: HT_MEMBER_INTEGER,                                                                  \
      char *: HT_MEMBER_TEXT)
#define HT_AT(record, field) .offset = offsetof(record, field), .size = sizeof(((record *)0)->field)
#define HT_MEMBER(record, name, field)                                                             \
  .key = name, .type = HT_MEMBER_TYPE(record, field), HT_AT(record, field)
#define HT_OBJECT(record, name, field, members)                                                    \
  .key = name, .type = HT_MEMBER_OBJECT, HT_AT(record, field), .inner = members
#define HT_PART(name, members)      .key = name, .type = HT_MEMBER_OBJECT, .inner = members
#define HT_GROUP(members)           .type = HT_MEMBER_GROUP, .inner = members
#define HT_FLAG(record, field)      .flag = 1 + offsetof(record, field)
#define HT_NUMBER_AT(record, field) .number = 1 + offsetof(record, field)
#define HT_ITEMS(record, name, field, count, members)                                              \
  .key = name, .type = HT_MEMBER_ITEMS, HT_AT(record, field[0]),                                   \
  .most = sizeof(((record *)0)->field) / sizeof *((record *)0)->field,                             \
  HT_NUMBER_AT(record, count), .inner = members

/* Writes the members into the current JSON object. */
void ht_members_json(ht_json *json, const ht_member *members, const void *record);

/* Reads the members from a mapping (NULL: all are absent). A key that is absent or of another type
 * leaves its member unchanged, but for HT_ABSENT_NAN. Returns 1 where all members with HT_REQUIRED
 * are there. */
int ht_members_read(struct fy_node *mapping, const ht_member *members, void *record);

/* Members of a grid: dim, spacing_mm, origin_mm and direction, all required. The reader checks the
 * grid (ht_grid_check). */
extern const ht_member ht_grid_members[];

#endif
