/* Ctrl-C and termination ask the work to stop. Work that does not check within two seconds, or does
 * not end within 30 seconds after it checked, is ended by force, as by a second Ctrl-C: the
 * half-written files are removed, and the log gets a last line. */
#ifndef HT_INTERRUPT_H
#define HT_INTERRUPT_H

#include <stdint.h>
#include <sys/types.h>

/* Installs the handling of signals. Call it first in main(), before any other thread exists. Jobs
 * (core/work/jobs.h) check, too. A signal that is ignored at the start (nohup, a background job of
 * a script) stays ignored. */
void ht_interrupt_begin(void);

/* Returns 1 after a signal has asked to stop: the caller then ends its work. */
int ht_interrupt_asked(void);

/* Returns for tests the step of a flow after which it stops as if asked to
 * (HEMOTILE_STOP_AT_STEP); 0: none. */
int64_t ht_interrupt_step(void);

/* Sets the folder (copied) whose half-written files `sweep` removes if the program is ended by
 * force. `sweep` runs in another thread and gets the number of this process. */
void ht_interrupt_folder(const char *folder, void (*sweep)(const char *folder, pid_t pid));

/* Gives work that was asked to stop all the time that it needs between hold(1) and hold(0): it
 * saves what has been done. A second Ctrl-C still ends it. */
void ht_interrupt_hold(int is_held);

/* Adapts to several ranks: a second signal shortens nothing, because mpirun sends several for one
 * Ctrl-C. leads: 1: rank 0, which prints what to do if it does not stop within half a second: it
 * then waits for a rank that may have died, after which mpirun ends all. */
void ht_interrupt_patient(int leads);

/* Gives the signals back. Call it before another program replaces this one, which would otherwise
 * never get them. */
void ht_interrupt_release(void);

/* Marks the work as done, before the program returns: it is no longer ended by force. */
void ht_interrupt_done(void);

#endif
