/* Who is at the other end of a connection of this machine. */
#ifndef HT_HTTP_PEERS_H
#define HT_HTTP_PEERS_H

/* Ends the connections of this process at the port of 127.0.0.1 whose other end is of another user
 * (not root), as the system lists them in /proc; without that list none. */
void ht_http_end_foreign(int port);

#endif
