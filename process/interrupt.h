/* Ctrl-C and termination: the work is asked to stop; what does not within two seconds is ended,
 * with the half-written files removed. */
#ifndef HT_INTERRUPT_H
#define HT_INTERRUPT_H

#include <sys/types.h>

/* Call first in main(), before any other thread exists. A signal that is ignored at the start
 * (nohup, a background job of a script) stays ignored. */
void ht_interrupt_begin(void);

/* 1 once a signal asked to stop. */
int ht_interrupt_asked(void);

/* Sets the folder (copied) whose half-written files `sweep` removes if the program is ended by
 * force. `sweep` runs in another thread and gets the number of this process. */
void ht_interrupt_folder(const char *folder, void (*sweep)(const char *folder, pid_t pid));

/* The work is done and the program is about to return: it is no longer ended by force. */
void ht_interrupt_done(void);

#endif
