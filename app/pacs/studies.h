/* Studies of `hemotile pacs watch`: stored as they arrive, and computed by the rules, one at a
 * time. A failure of one does not hold up the others. */
#ifndef HT_STUDIES_H
#define HT_STUDIES_H

#include "app/pacs/pacs_object.h"
#include "app/pacs/watcher.h"

typedef struct ht_studies ht_studies;

/* Takes up the studies of the folder `folder`, where an earlier watch left them. Both arguments
 * are borrowed. HT_ERR_MEMORY. */
ht_status ht_studies_open(const ht_watcher *watcher, const char *folder, ht_studies **studies);

/* Takes over the file of an object that this sender has brought; as ht_senders_user.keep. */
ht_status ht_studies_keep(ht_studies *studies, int sender, const ht_pacs_object *object,
                          const char *path);

/* Ends a sender that has gone; as ht_senders_user.ended. */
void ht_studies_ended(ht_studies *studies, int sender, int released, unsigned open);

/* Does the next step that is due, if there is one; does not wait for it. */
void ht_studies_work(ht_studies *studies);

/* Returns the socket to poll() before the next ht_studies_work; -1: none. */
int ht_studies_socket(const ht_studies *studies);

/* Ends what is running. NULL: does nothing. */
void ht_studies_close(ht_studies *studies);

#endif
