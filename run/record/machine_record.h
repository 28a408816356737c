/* Record of the machine and the program that computed a flow: what its bits depend on. */
#ifndef HT_MACHINE_RECORD_H
#define HT_MACHINE_RECORD_H

#include "solver/solver.h"
#include "run/folder/members.h"

typedef struct {
  char version[32], commit[64]; /* of hemotile */
  char libraries[160];          /* "ITK 5.2.1, DCMTK 3.6.7, ..." */
  char compiler[64], libc[16]; /* compiler that it was built with, and C library that it ran with */
  char device[8];              /* "cpu" or "cuda" */
  char device_name[128];       /* "CPU, AVX-512", "NVIDIA H200" */
  char cpu[96];                /* "Intel(R) Xeon(R) ..." */
  int threads;                 /* threads of the CPU; results do not depend on them */
} ht_machine_record;

/* Describes this program on this machine, with the device that `asked` chooses. HT_ERR_DEVICE:
 * there is no such device. */
ht_status ht_machine_now(ht_device asked, int threads, ht_machine_record *record);

/* Members of the record: the object "machine". There is none where no flow was computed (device
 * ""). */
extern const ht_member ht_machine_members[];

/* Writes the members "hemotile", "commit" and "libraries" of this program into the current JSON
 * object. The second function reads those of the program that wrote the record; absent values stay
 * "". */
void ht_program_json(ht_json *json);
void ht_program_read(struct fy_node *root, ht_machine_record *record);

/* Lists the differences between a record and this machine, as "version 0.1.0 there, 0.2.0 here;
 * ...". Values that the record lacks are not compared. Returns 1 where something differs. */
int ht_machine_differs(const ht_machine_record *there, const ht_machine_record *here, char *text,
                       size_t size);

#endif
