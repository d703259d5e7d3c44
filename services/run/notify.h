/* notify.h: tell the service manager that started us how we are: ready, alive, ending.
 * The protocol of sd_notify: one datagram to the socket named by NOTIFY_SOCKET; silent
 * where there is none. SERVICE context; never blocks. */
#ifndef NOTIFY_H
#define NOTIFY_H

/* Send a state like "READY=1" or "WATCHDOG=1". Returns 1 if it was sent. */
int notify_send(const char *state);

#endif
