/* Ctrl-C and termination: the work is asked to stop. Work that does not ask within two seconds, or
 * does not end within 30 seconds after it asked, is ended by force, as by a second Ctrl-C: the
 * half-written files are removed, and the log gets a last line. */
#ifndef HT_INTERRUPT_H
#define HT_INTERRUPT_H

#include <stdint.h>
#include <sys/types.h>

/* Call first in main(), before any other thread exists. Jobs (core/work/jobs.h) ask, too. A signal
 * that is ignored at the start (nohup, a background job of a script) stays ignored. */
void ht_interrupt_begin(void);

/* 1 after a signal has asked to stop: the caller then ends its work. */
int ht_interrupt_asked(void);

/* For tests: the step of a flow after which it stops as if asked to (HEMOTILE_STOP_AT_STEP); 0:
 * none. */
int64_t ht_interrupt_step(void);

/* Sets the folder (copied) whose half-written files `sweep` removes if the program is ended by
 * force. `sweep` runs in another thread and gets the number of this process. */
void ht_interrupt_folder(const char *folder, void (*sweep)(const char *folder, pid_t pid));

/* Between hold(1) and hold(0) the work that was asked to stop is given all the time that it needs:
 * it keeps what has been done. A second Ctrl-C ends it all the same. */
void ht_interrupt_hold(int is_held);

/* Of several ranks: a second signal shortens nothing, as mpirun sends several for one Ctrl-C.
 * leads: 1: rank 0, which says what to do where it is not heard to stop within half a second: it
 * then waits for a rank that may have died, after which mpirun ends all. */
void ht_interrupt_patient(int leads);

/* Before another program takes the place of this one: the signals are that program's. Without this
 * it never gets them. */
void ht_interrupt_release(void);

/* The work is done and the program is about to return: it is no longer ended by force. */
void ht_interrupt_done(void);

#endif
